import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { root } from '../bundle.js';

/** Node for one platform, from its npm package. */
export interface NodePackage {
  readonly executable: Buffer;
  /** Text of its LICENSE; undefined in the package for Windows. */
  readonly licence: string | undefined;
}

const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages as Readonly<
  Record<string, { readonly version: string; readonly integrity: string }>
>;

/** sha512 in the format of the lock file. */
const integrityOf = (content: Buffer): string =>
  `sha512-${createHash('sha512').update(content).digest('base64')}`;

/**
 * Fails if the content does not match the lock file. A version that the lock file does not contain was
 * verified by npm only.
 */
function verify(name: string, version: string, content: Buffer): void {
  const entry = locked[`node_modules/${name}`];
  if (entry?.version !== version) return;
  const found = integrityOf(content);
  if (found !== entry.integrity)
    throw new Error(`${name} ${version} is ${found}, package-lock.json has ${entry.integrity}`);
}

/** Cache of downloads: 50 MB each, and they never change. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-webhook-release');

/** Downloads the package with npm. */
function packed(name: string, version: string): Buffer {
  const file = join(cache, `${name}-${version}.tgz`);
  if (!existsSync(file)) {
    const partial = join(cache, `partial-${process.pid}-${name}`);
    mkdirSync(partial, { recursive: true });
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', partial, `${name}@${version}`], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    renameSync(join(partial, filename), file);
    rmSync(partial, { recursive: true });
  }
  const content = readFileSync(file);
  verify(name, version, content);
  return content;
}

/** The folder of the package if `npm ci` has installed it, as for the platform of this machine. */
function installed(name: string, version: string): string | undefined {
  const folder = join(root, 'node_modules', name);
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  return JSON.parse(readFileSync(manifest, 'utf8')).version === version ? folder : undefined;
}

/** Node of one platform, from npm, with the version in tools/node and verified with package-lock.json. */
export async function nodePackage(name: string, version: string): Promise<NodePackage> {
  const folder = installed(name, version);
  if (folder !== undefined) {
    const executable = readFileSync(join(folder, 'bin', 'node'));
    return { executable, licence: readFileSync(join(folder, 'LICENSE'), 'utf8') };
  }
  const entries = await unpackTar(gunzipSync(packed(name, version)), {
    filter: (header) => /^package\/(bin\/node(\.exe)?|LICENSE)$/.test(header.name),
  });
  const content = (pattern: RegExp): Buffer | undefined => {
    const data = entries.find(({ header }) => pattern.test(header.name))?.data;
    return data && Buffer.from(data);
  };
  const executable = content(/\/bin\//);
  if (executable === undefined) throw new Error(`${name} ${version} holds no bin/node`);
  return { executable, licence: content(/LICENSE/)?.toString() };
}

/** The path of a Node of that version for this machine. */
export async function nodeToRun(name: string, version: string): Promise<string> {
  const folder = installed(name, version);
  if (folder !== undefined) return join(folder, 'bin', 'node');
  const file = join(cache, `${name}-${version}`);
  if (!existsSync(file)) {
    const { executable } = await nodePackage(name, version);
    const partial = `${file}.${process.pid}`;
    writeFileSync(partial, executable, { mode: 0o755 });
    renameSync(partial, file);
  }
  return file;
}
