import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeToRun } from './node-package.ts';
import type { Platform } from './platforms.ts';

/** The directory of the C library for the other architecture in Debian. */
const arm64 = { emulator: '/usr/bin/qemu-aarch64-static', libraries: '/usr/aarch64-linux-gnu' };

/** The command line that runs a program of this platform here; undefined if there is none. */
function runnerFor({ os, arch }: Platform): readonly string[] | undefined {
  if (os !== process.platform) return undefined;
  if (arch === (process.arch === 'x64' ? 'amd64' : process.arch)) return [];
  const emulated = arch === 'arm64' && existsSync(arm64.emulator) && existsSync(arm64.libraries);
  return emulated ? [arm64.emulator, '-L', arm64.libraries] : undefined;
}

/**
 * The compiled code of the program for that platform, after doctor has run on a small demo: as cached data of
 * V8, the same bytes in every build (of a long run it would differ). It reduces the start-up time by a third.
 * Undefined if the Node of that platform cannot run here.
 */
export async function compiledCode(
  platform: Platform,
  program: string,
  folder: string,
): Promise<Buffer | undefined> {
  const runner = runnerFor(platform);
  if (runner === undefined) return undefined;
  const output = join(folder, 'compiled');
  const node = await nodeToRun(platform.nodePackage, platform.nodeVersion);
  // A random seed, no concurrent compilation, and no garbage collection triggered by time: V8 leaves
  // uninitialised bytes otherwise. V8 accepts the result with each of these flags.
  const steady = ['--random-seed=1', '--no-concurrent-recompilation', '--no-memory-reducer'];
  const [file = node, ...words] = [...runner, node];
  for (const args of [['demo', 'crash-loop'], []])
    execFileSync(
      file,
      [...words, ...steady, join(import.meta.dirname, 'compile.cjs'), program, output, ...args],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
      },
    );
  return readFileSync(output);
}
