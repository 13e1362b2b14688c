import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.js';

/**
 * `node_modules/a/node_modules/@b/c/lib/x.js` → `node_modules/a/node_modules/@b/c`; undefined for a source
 * file of this repository.
 */
const folderOf = (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];

/** The licence and the notices of a package, as one text. */
function licenceText(folder) {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
}

/** Removes duplicates of a package in several folders. */
const once = (packages) => [...new Map(packages.map((one) => [`${one.name}@${one.version}`, one])).values()];

/** The bundled packages, by name: name, version, licence (SPDX), and its text, which may be empty. */
export function shippedPackages({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const taken = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const folders = new Set(taken.flatMap((path) => folderOf(path) ?? []));
  const packages = [...folders].sort().map((folder) => {
    const at = join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    return { folder, name, version, licence: license, text: licenceText(at) };
  });
  return once(packages);
}

/** One file with the licences of everything in a build. */
export const licencesFile = (packages) =>
  packages
    .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
