// Bundles the program into dist/: plain JavaScript for Node 20 and later, one chunk per command, and without the parts of
// its libraries that it never runs. Loading those, not running ours, is what start-up costs (docs/performance.md).
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Modules that are replaced, by path or package name, with the least that their importers need of them. */
const replaced = [
  // client-node: 600 generated models and the HTTP stack below them. We read JSON over node:https.
  { filter: /^\.\.?\/gen\/index\.js$/, contents: 'module.exports = {};' },
  // oclif: the plugin host (finding, compiling and loading plugins from disk) and its manifest.
  {
    filter: /\/plugin-loader$|\/ts-path$|\/module-loader$/,
    contents: 'module.exports = { default: class {} };',
  },
  { filter: /^@oclif\/core\/package\.json$/, contents: 'module.exports = { version: "" };' },
  { filter: /^semver$/, contents: 'module.exports = { satisfies: () => true };' },
  {
    filter: /^(tinyglobby|minimatch|lilconfig|wsl-utils|get-package-type|typescript|ts-node)$/,
    contents: 'module.exports = {};',
  },
];

const withoutUnusedParts = {
  name: 'without-unused-parts',
  setup(bundler) {
    for (const [index, { filter, contents }] of replaced.entries()) {
      const namespace = `replaced-${index}`;
      bundler.onResolve({ filter }, ({ path, importer }) => {
        if (importer.includes('node_modules')) return { path, namespace };
      });
      bundler.onLoad({ filter: /.*/, namespace }, () => ({ contents, loader: 'js' }));
    }
  },
};

rmSync(join(root, 'dist'), { recursive: true, force: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  chunkNames: '[name]-[hash]',
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
  // Bundled CommonJS libraries call require() for Node's own modules.
  banner: {
    js: "import { createRequire as createRequireOfNode } from 'node:module'; const require = createRequireOfNode(import.meta.url);",
  },
  plugins: [withoutUnusedParts],
});
if (process.argv.includes('--sizes')) {
  for (const [path, { bytes, inputs }] of Object.entries(result.metafile.outputs)) {
    console.log(`${String(bytes).padStart(9)}  ${path}`);
    const largest = Object.entries(inputs).sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput);
    for (const [input, { bytesInOutput }] of largest.slice(0, 8))
      console.log(`${String(bytesInOutput).padStart(20)}  ${input}`);
  }
}
