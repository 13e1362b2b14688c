// What npm packs is the bundle: it needs no packages beside it and no scripts. "prepack" takes both out of package.json,
// "postpack" puts package.json back as it was.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.js';

const manifest = join(root, 'package.json');
const original = join(root, 'dist', 'package.json');

/** Only the fields that whoever installs the package has a use for. */
export function packedManifest({ dependencies, devDependencies, scripts, allowScripts, ...rest }) {
  return rest;
}

const putBack = () => existsSync(original) && renameSync(original, manifest);

if (process.argv[2] === 'prepack') {
  putBack();
  const text = readFileSync(manifest, 'utf8');
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(original, text);
  writeFileSync(manifest, `${JSON.stringify(packedManifest(JSON.parse(text)), undefined, 2)}\n`);
}
if (process.argv[2] === 'postpack') putBack();
