// Bundles the program into dist/program/ for the checkout and for npm: for Node 20 and later, one chunk per command.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, root } from './bundle.js';
import { licencesFile, shippedPackages } from './shipped-packages.js';

rmSync(join(root, 'dist', 'program'), { recursive: true, force: true });
const result = await bundle({
  outdir: 'dist/program',
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
writeFileSync(
  join(root, 'dist', 'program', 'THIRD-PARTY-LICENSES.txt'),
  licencesFile(shippedPackages(result.metafile)),
);
if (process.argv.includes('--sizes')) {
  for (const [path, { bytes, inputs }] of Object.entries(result.metafile.outputs)) {
    console.log(`${String(bytes).padStart(9)}  ${path}`);
    const largest = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
    for (const [input, { bytesInOutput }] of largest.slice(0, 8))
      console.log(`${String(bytesInOutput).padStart(20)}  ${input}`);
  }
}
