import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A run of the program, measured from outside. */
export interface MeasuredRun {
  /** null: it was ended by a signal, ours or the kernel's. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Seconds from start to end. */
  readonly seconds: number;
  /** Peak of resident memory in MiB: VmHWM. */
  readonly mebibytes: number;
}

const program = new URL('../../../bin/kubectl-webhook', import.meta.url).pathname;
const home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-hostile-'));

function peakOf(pid: number): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(line?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Actions during a run. */
export interface Meanwhile {
  /** When it gets SIGINT: that many seconds after this promise, each time. */
  readonly interrupt?: { readonly since: Promise<void>; readonly seconds: readonly number[] };
  /** Seconds after which it is killed: the run has failed then. */
  readonly killAfter?: number;
  /** `open`: no input, and no end. */
  readonly input?: string | { readonly open: true };
  /** Folder of its journal; default: shared by all runs. */
  readonly state?: string;
}

/** Runs the program of package.json's bin, and measures its memory from outside at short intervals. */
export async function measuredRun(args: readonly string[], meanwhile: Meanwhile = {}): Promise<MeasuredRun> {
  const started = performance.now();
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      LANG: 'C.UTF-8',
      XDG_STATE_HOME: meanwhile.state ?? home,
    },
    stdio: [meanwhile.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let mebibytes = 0;
  const look = setInterval(() => {
    mebibytes = Math.max(mebibytes, peakOf(child.pid ?? 0));
  }, 10);
  const timers = [setTimeout(() => child.kill('SIGKILL'), (meanwhile.killAfter ?? 60) * 1000)];
  void meanwhile.interrupt?.since.then(() => {
    for (const seconds of meanwhile.interrupt?.seconds ?? [])
      timers.push(setTimeout(() => child.kill('SIGINT'), seconds * 1000));
  });
  child.stdin?.on('error', () => undefined);
  if (typeof meanwhile.input === 'string') child.stdin?.end(meanwhile.input);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      // SIGINT during the exit ends the process by the signal; a shell reports 130 for that as well.
      child.on('close', (status, signal) => resolve(signal === 'SIGINT' ? 130 : status));
    });
    return {
      code,
      stdout: Buffer.concat(out).toString('utf8'),
      stderr: Buffer.concat(err).toString('utf8'),
      seconds: (performance.now() - started) / 1000,
      mebibytes,
    };
  } finally {
    clearInterval(look);
    for (const timer of timers) clearTimeout(timer);
  }
}
