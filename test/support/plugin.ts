import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** The cache of compiled code of all runs: each run has its own home, and would otherwise compile again. */
export const compiledCode = join(tmpdir(), 'kubectl-webhook-test-cache');

/** A run of the plugin in progress. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** What it wrote so far. */
  written(): Pick<Ended, 'stdout' | 'stderr'>;
  kill(signal: NodeJS.Signals): void;
}

/** Runs the plugin without this user's kubectl configuration. No stream is a terminal. */
export const plugin = (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Ended> => startPlugin(args, env, cwd).ended;

/** The same, to be killed while it runs. `before`: a command that runs the plugin. */
export function startPlugin(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
  before: readonly string[] = [],
): Running {
  const { PATH = '', TMPDIR } = process.env;
  const home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-home-'));
  const [command = program, ...words] = [...before, program, ...args];
  const child = spawn(command, words, {
    cwd,
    env: {
      PATH,
      HOME: home,
      XDG_CACHE_HOME: compiledCode,
      LANG: 'C.UTF-8',
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  // A character of several bytes may arrive in two chunks.
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { ended, written: () => ({ stdout, stderr }), kill: (signal) => child.kill(signal) };
}

/** A file with the given text in a separate folder, readable by its owner only. */
export function fileWith(text: string | Buffer, name = 'kubeconfig'): string {
  const file = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-test-')), name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
