import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.js';

/** `node_modules/a/node_modules/@b/c/lib/x.js` → `node_modules/a/node_modules/@b/c`; undefined for a file of ours. */
const folderOf = (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];

/** The licence and the notices that lie in a package, as one text. */
function licenceText(folder) {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
}

/** Each package once, in whatever number of folders npm has put it. */
const once = (packages) => [...new Map(packages.map((one) => [`${one.name}@${one.version}`, one])).values()];

/** The packages whose code is in a bundle, by name: name, version, licence (SPDX), and the text of it, which may be empty. */
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

/** One file with the licences of everything that a build carries. */
export const licencesFile = (packages) =>
  packages
    .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
