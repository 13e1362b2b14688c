import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import { root } from '../bundle.js';
import type { ShippedPackage } from '../shipped-packages.js';
import type { Platform } from './platforms.ts';
import { about } from './project.ts';

const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages as Readonly<
  Record<
    string,
    {
      readonly version: string;
      readonly integrity?: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    }
  >
>;

/** The version of a package that Node resolves from a folder: the nearest one. */
function versionFor(folder: string, name: string): string | undefined {
  const found = locked[`${folder}/node_modules/${name}`];
  if (found !== undefined) return found.version;
  const outer = folder.lastIndexOf('/node_modules/');
  return outer < 0 ? locked[`node_modules/${name}`]?.version : versionFor(folder.slice(0, outer), name);
}

// https://github.com/package-url/purl-spec, type npm.
const packageUrl = (name: string, version: string | undefined): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

interface Described {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier. */
  readonly licence: string;
  readonly description?: string;
  /** In the format of the lock file. */
  readonly integrity?: string | undefined;
}

function component(
  type: Enums.ComponentType,
  { name, version, licence, description, integrity }: Described,
): Models.Component {
  const purl = packageUrl(name, version);
  const hashes =
    integrity === undefined ? [] : [Contrib.FromNodePackageJson.Utils.parsePackageIntegrity(integrity)];
  return new Models.Component(type, name, {
    version,
    purl,
    bomRef: purl,
    description,
    hashes: new Models.HashDictionary(hashes),
    licenses: new Models.LicenseRepository([
      SPDX.isSupportedSpdxId(licence)
        ? new Models.SpdxLicense(licence)
        : new Models.LicenseExpression(licence),
    ]),
  });
}

/**
 * The content of an archive as CycloneDX 1.6 in JSON: the bundled packages, and Node. It contains no serial
 * number and no timestamp, so that builds are reproducible.
 */
export function billOfMaterials(packages: readonly ShippedPackage[], platform: Platform): string {
  const { name, version, license, description } = about;
  const { nodePackage, nodeVersion } = platform;
  const program = component(Enums.ComponentType.Application, {
    name,
    version,
    licence: license,
    description,
  });
  const node = component(Enums.ComponentType.Platform, {
    name: nodePackage,
    version: nodeVersion,
    licence: 'MIT',
    description: 'Node.js',
    integrity: locked[`node_modules/${nodePackage}`]?.integrity,
  });
  const libraries = new Map(
    packages.map((one) => {
      const { integrity } = locked[one.folder] ?? {};
      const library = component(Enums.ComponentType.Library, { ...one, integrity });
      return [library.purl, library] as const;
    }),
  );
  for (const one of packages)
    for (const needed of Object.keys(locked[one.folder]?.dependencies ?? {})) {
      const library = libraries.get(packageUrl(needed, versionFor(one.folder, needed)));
      if (library !== undefined)
        libraries.get(packageUrl(one.name, one.version))?.dependencies.add(library.bomRef);
    }
  const components = [node, ...libraries.values()];
  for (const { bomRef } of components) program.dependencies.add(bomRef);
  const bill = new Models.Bom({
    metadata: new Models.Metadata({ component: program }),
    components: new Models.ComponentRepository(components),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bill, { sortLists: true, space: 2 })}\n`;
}
