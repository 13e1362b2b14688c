// Bundles the program into dist/program/ for the checkout and for npm: for Node 20 and later, one chunk per command.
import { basename, join } from 'node:path';
import { bundle, root } from './bundle.js';
import { replaceProgram } from './replace-program.js';
import { licencesFile, shippedPackages } from './shipped-packages.js';

const { outputFiles, metafile } = await bundle({
  outdir: 'dist/program',
  write: false,
  splitting: true,
  format: 'esm',
  target: 'node20',
  chunkNames: '[name]-[hash]',
  legalComments: 'none',
  // Bundled CommonJS libraries call require() for Node's own modules.
  banner: {
    js: "import { createRequire as createRequireOfNode } from 'node:module'; const require = createRequireOfNode(import.meta.url);",
  },
});
const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), content: contents }));
const licences = {
  name: 'THIRD-PARTY-LICENSES.txt',
  content: licencesFile(shippedPackages(metafile)),
};
const isEntry = ({ name }) => name === 'main.js';
replaceProgram(join(root, 'dist', 'program'), {
  entry: files.find(isEntry),
  others: [licences, ...files.filter((file) => !isEntry(file))],
  clean: process.argv.includes('--clean'),
});
if (process.argv.includes('--sizes')) {
  for (const [path, { bytes, inputs }] of Object.entries(metafile.outputs)) {
    console.log(`${String(bytes).padStart(9)}  ${path}`);
    const largest = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
    for (const [input, { bytesInOutput }] of largest.slice(0, 8))
      console.log(`${String(bytesInOutput).padStart(20)}  ${input}`);
  }
}
