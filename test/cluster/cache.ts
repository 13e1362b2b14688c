import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const DAY = 24 * 60 * 60 * 1000;

/**
 * The directory of binaries and images that are kept between runs: `$XDG_CACHE_HOME/kubectl-webhook-test`.
 */
export function cacheRoot(): string {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-webhook-test');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Twelve hex digits that change with any of the parts. */
export function contentKey(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex').slice(0, 12);
}

/**
 * The folder `name-key` of the cache. If it does not exist, `build` fills an empty folder, which is then
 * renamed: a killed build leaves no partial entry, and a second run waits for the first. Entries of the same
 * name that were not used for a week are deleted.
 */
export async function cached(
  name: string,
  key: string,
  build: (folder: string) => Promise<void> | void,
): Promise<string> {
  const entry = join(cacheRoot(), `${name}-${key}`);
  if (!existsSync(entry)) {
    await withLock(join(cacheRoot(), `${name}.lock`), async () => {
      if (existsSync(entry)) return;
      const partial = `${entry}.partial`;
      rmSync(partial, { recursive: true, force: true });
      mkdirSync(partial);
      await build(partial);
      renameSync(partial, entry);
      forgetUnused(name, entry);
    });
  }
  utimesSync(entry, new Date(), new Date());
  return entry;
}

/**
 * Runs `work` while holding an exclusive lock on `file`. The kernel holds it through a `flock` process that ends with
 * ours, however ours ends.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => holder.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.once('exit', (code) => reject(new Error(`flock ${file} ended with ${String(code)}`)));
    holder.stdout.once('data', () => resolve());
  });
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}

function forgetUnused(name: string, keep: string): void {
  for (const other of readdirSync(cacheRoot())) {
    const path = join(cacheRoot(), other);
    const sameName = other.startsWith(`${name}-`) && /^[0-9a-f]{12}$/.test(other.slice(name.length + 1));
    if (sameName && path !== keep && Date.now() - statSync(path).mtimeMs > 7 * DAY) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
