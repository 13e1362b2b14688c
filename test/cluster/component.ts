import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HopelessError, waitFor } from './wait.ts';

/** Identifies a process, so that a later one with the same number is not mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks after boot, field 22 of /proc/PID/stat. */
  readonly started: string;
}

/** Undefined if no such process exists; a zombie does not count. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const started = fields[19];
    return started === undefined || fields[0] === 'Z' ? undefined : { pid, started };
  } catch {
    return undefined;
  }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.started === identity.started;
}

/**
 * Starts a component of the cluster in `folder` as a separate process that continues after this one. Its
 * output goes to `log/NAME.log`, its identity to `NAME.pid`. It first enters the cgroups of `cgroupFiles`, so
 * that its children can be found.
 */
export function startComponent(
  folder: string,
  name: string,
  command: readonly string[],
  cgroupFiles: readonly string[] = [],
): void {
  mkdirSync(join(folder, 'log'), { recursive: true });
  const log = openSync(join(folder, 'log', `${name}.log`), 'a');
  const enter = cgroupFiles.map((file) => `echo 0 > '${file}' && `).join('');
  const child = spawn('sh', ['-c', `${enter}exec "$@"`, 'sh', ...command], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: folder,
  });
  closeSync(log);
  child.on('error', () => {});
  child.unref();
  if (child.pid === undefined) throw new Error(`${name} did not start`);
  const identity = identify(child.pid) ?? { pid: child.pid, started: '' };
  writeFileSync(pidFile(folder, name), JSON.stringify(identity));
}

/** Throws with the end of its log if a component has ended. */
export function expectAlive(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    const identity = readIdentity(folder, name);
    if (!identity || !isAlive(identity)) {
      throw new HopelessError(`${name} has ended:\n${logTail(folder, name)}`);
    }
  }
}

/**
 * Ends a component with SIGTERM, and with SIGKILL after ten seconds; at once with SIGKILL if it leaves
 * nothing behind. Does nothing if it does not run.
 */
export async function stopComponent(
  folder: string,
  name: string,
  how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<void> {
  const identity = readIdentity(folder, name);
  if (identity && isAlive(identity)) {
    signal(identity.pid, how);
    await waitFor(`${name} to end`, () => !isAlive(identity), { timeout: 10_000, interval: 30 }).catch(() =>
      signal(identity.pid, 'SIGKILL'),
    );
  }
  rmSync(pidFile(folder, name), { force: true });
}

/** The last lines of a component's log. */
export function logTail(folder: string, name: string, lines = 25): string {
  const file = join(folder, 'log', `${name}.log`);
  if (!existsSync(file)) return '(no log)';
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended in between.
  }
}

function pidFile(folder: string, name: string): string {
  return join(folder, `${name}.pid`);
}

function readIdentity(folder: string, name: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(pidFile(folder, name), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** Absolute path of a program on PATH, or in the folders where Debian puts what root runs. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => path.startsWith('/') && existsSync(path));
}
