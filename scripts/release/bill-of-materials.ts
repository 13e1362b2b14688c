import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.js';
import type { ShippedPackage } from '../shipped-packages.js';
import type { Platform } from './platforms.ts';
import { about } from './project.ts';

const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages as Readonly<
  Record<string, { readonly integrity?: string }>
>;

/** https://github.com/package-url/purl-spec, type npm. */
const packageUrl = (name: string, version: string): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

function hashes(integrity: string | undefined) {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? [];
  return base64 === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }] };
}

const component = (name: string, version: string, licence: string, integrity: string | undefined) => ({
  type: 'library',
  'bom-ref': packageUrl(name, version),
  name,
  version,
  licenses: [/ (OR|AND|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }],
  purl: packageUrl(name, version),
  ...hashes(integrity),
});

/**
 * What an archive holds, as CycloneDX 1.6: the packages whose code is in the bundle, and Node. Neither a serial number
 * nor a time, so that it is the same in every build.
 */
export function billOfMaterials(packages: readonly ShippedPackage[], platform: Platform) {
  const { name, version, license, description } = about;
  const { nodePackage, nodeVersion } = platform;
  const reference = packageUrl(name, version);
  const components = [
    {
      ...component(nodePackage, nodeVersion, 'MIT', locked[`node_modules/${nodePackage}`]?.integrity),
      type: 'platform',
      description: 'Node.js',
    },
    ...packages.map((one) => component(one.name, one.version, one.licence, locked[one.folder]?.integrity)),
  ];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': reference,
        name,
        version,
        description,
        licenses: [{ license: { id: license } }],
        purl: reference,
      },
    },
    components,
    dependencies: [{ ref: reference, dependsOn: components.map((one) => one['bom-ref']) }],
  };
}
