import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledCode } from './plugin.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** The text of the program's questions; the run is then ended with Ctrl-C. */
const question = /\(y\/N\)|Esc leave|to confirm/;

/** How a command on a terminal ended: by itself, or at a question. */
export interface OnTerminal {
  readonly code: number | null;
  readonly asked: boolean;
  readonly output: string;
}

/** Runs words after `kubectl webhook` on a separate terminal, up to the first question. */
export function untilAsked(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<OnTerminal> {
  const line = [program, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-home-'));
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      XDG_CACHE_HOME: compiledCode,
      LANG: 'C.UTF-8',
      TERM: 'xterm',
      SHELL: '/bin/sh',
      ...env,
    },
  });
  let output = '';
  let asked = false;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += String(chunk);
    if (asked || !question.test(output)) return;
    asked = true;
    child.stdin.write('\u0003');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, asked, output }));
  });
}
