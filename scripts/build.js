// Bundles the program into dist/program/ for the checkout and for npm: for Node 20 and later.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { bundle, root } from './bundle.js';
import { licencesFile, shippedPackages } from './shipped-packages.js';

const folder = join(root, 'dist', 'program');

/** Replaces a file atomically, because the program may start at the same time. */
function put(name, content) {
  const beside = join(folder, `${name}.${process.pid}`);
  writeFileSync(beside, content);
  renameSync(beside, join(folder, name));
}

const { text, metafile } = await bundle({ target: 'node20' });
if (process.argv.includes('--clean')) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
put('THIRD-PARTY-LICENSES.txt', licencesFile(shippedPackages(metafile)));
// bin/kept-code.js stores compiled code under this checksum.
put('main.cjs', `${text}//${crc32(text).toString(16)}\n`);

if (process.argv.includes('--sizes')) {
  const [{ inputs }] = Object.values(metafile.outputs);
  const largest = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
  console.log(`${String(text.length).padStart(9)}  all`);
  for (const [input, { bytesInOutput }] of largest.slice(0, 30))
    console.log(`${String(bytesInOutput).padStart(9)}  ${input}`);
}
