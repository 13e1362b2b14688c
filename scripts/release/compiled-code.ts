import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeToRun } from './node-package.ts';
import type { Platform } from './platforms.ts';

/** Where Debian's packages put the C library of the other processor. */
const arm64 = { emulator: '/usr/bin/qemu-aarch64-static', libraries: '/usr/aarch64-linux-gnu' };

/** Words that run a program of this platform here; undefined where nothing does. */
function runnerFor({ os, arch }: Platform): readonly string[] | undefined {
  if (os !== process.platform) return undefined;
  if (arch === (process.arch === 'x64' ? 'amd64' : process.arch)) return [];
  const emulated = arch === 'arm64' && existsSync(arm64.emulator) && existsSync(arm64.libraries);
  return emulated ? [arm64.emulator, '-L', arm64.libraries] : undefined;
}

/**
 * What V8 of that platform compiles of the program while doctor runs on a small demo: as V8's cached data, the same
 * bytes in every build; of a long run it would not be. It takes a third off the start. Undefined where that platform's Node cannot run.
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
  // A seed, no thread whose progress would leave its marks, and no collection of garbage once it has taken long: what
  // V8 does not fill holds what was there before. None of them makes V8 refuse the result.
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
