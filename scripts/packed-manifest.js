// The package for npm contains the bundle, which needs no other packages and no scripts. "prepack" removes
// both from package.json, "postpack" restores package.json.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.js';

const manifest = join(root, 'package.json');
const original = join(root, 'dist', 'package.json');

/** Keeps only the fields that are needed to install the package. */
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
