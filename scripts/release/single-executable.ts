import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'postject';
import { compiledCode } from './compiled-code.ts';
import { stripElf } from './elf.ts';
import { withoutLocalSymbols } from './mach-o.ts';
import { signMachO } from './mach-o-signature.ts';
import { nodePackage, nodeToRun } from './node-package.ts';
import { type Platform, programFile } from './platforms.ts';
import { unsignedPe } from './portable-executable.ts';

/**
 * The marker in the Node binary for an embedded program (Node documentation, "Single executable
 * applications").
 */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Builds the data that Node reads from its own binary: the launcher, the program and its compiled code. The
 * format depends on the Node version, not on the processor, so a Node of that version builds it.
 */
async function blob(platform: Platform, program: string, compiled: Buffer, folder: string): Promise<string> {
  const compiledFile = join(folder, 'compiled');
  writeFileSync(compiledFile, compiled);
  const config = {
    main: join(import.meta.dirname, 'launcher.cjs'),
    output: join(folder, 'blob'),
    disableExperimentalSEAWarning: true,
    // Less memory for a large cluster. With the other flags of bin/kubectl-webhook, `--help` took 1.8 to 4 times as long as
    // `kubectl version --client`, instead of 1.3 times.
    execArgv: ['--max-semi-space-size=4'],
    // Ignores NODE_OPTIONS, which can load other code or stop the program.
    execArgvExtension: 'none',
    assets: { program, compiled: compiledFile },
  };
  const file = join(folder, 'single-executable.json');
  // The path of the launcher becomes part of the data.
  writeFileSync(file, JSON.stringify({ ...config, main: 'launcher.cjs' }));
  const node = await nodeToRun(`node-linux-${process.arch}`, platform.nodeVersion);
  execFileSync(node, ['--experimental-sea-config', file], { cwd: import.meta.dirname, stdio: 'ignore' });
  return config.output;
}

/**
 * The Node of that platform without debugging information and without its signature, which would be invalid.
 */
const prepared = {
  linux: stripElf,
  darwin: withoutLocalSymbols,
  windows: unsignedPe,
} as const;

/**
 * Builds the program and Node as one file. `program` is the path of a JavaScript file, a function of
 * `require`; `folder` is for temporary files. Also returns whether compiled code is included.
 */
export async function singleExecutable(
  platform: Platform,
  program: string,
  folder: string,
): Promise<{ readonly executable: Buffer; readonly compiled: boolean }> {
  const compiled = await compiledCode(platform, program, folder);
  const resource = readFileSync(await blob(platform, program, compiled ?? Buffer.alloc(0), folder));
  const file = join(folder, programFile(platform));
  const { executable } = await nodePackage(platform.nodePackage, platform.nodeVersion);
  writeFileSync(file, prepared[platform.os](executable), { mode: 0o755 });
  await inject(file, 'NODE_SEA_BLOB', resource, { sentinelFuse, machoSegmentName: 'NODE_SEA' });
  const made = readFileSync(file);
  return {
    executable: platform.os === 'darwin' ? signMachO(made, 'kubectl-webhook') : made,
    compiled: compiled !== undefined,
  };
}
