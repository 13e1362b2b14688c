// Builds dist/library/ for npm: the model of the API server for other programs (`kubectl-webhook/apiserver`).
// One JavaScript module for each source module, so that a bundler can omit unused ones; libraries are
// included in the module that imports them.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './bundle.js';

const entry = 'src/library/apiserver.ts';

const common = {
  absWorkingDir: root,
  bundle: true,
  // Prefer ES modules of libraries that have both.
  platform: 'neutral',
  mainFields: ['module', 'main'],
  external: ['node:*'],
  format: 'esm',
  target: 'node20',
};

/** Source modules that the entry imports, directly or indirectly. */
async function modules() {
  const { metafile } = await build({
    ...common,
    entryPoints: [entry],
    write: false,
    metafile: true,
    outdir: '.',
  });
  return Object.keys(metafile.inputs).filter((input) => input.startsWith('src/'));
}

const ownModulesApart = {
  name: 'own-modules-apart',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point'
        ? undefined
        : { path: path.replace(/\.ts$/, '.js'), external: true, sideEffects: false },
    );
  },
};

/** Writes the library and its types into a folder. */
export async function buildLibrary(outdir = join(root, 'dist', 'library')) {
  rmSync(outdir, { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: await modules(),
    outdir,
    outbase: join(root, 'src'),
    plugins: [ownModulesApart],
    legalComments: 'none',
    logLevel: 'warning',
  });
  const compiler = createRequire(import.meta.url).resolve('typescript-native/package.json');
  const options = {
    declaration: true,
    emitDeclarationOnly: true,
    noEmit: false,
    rootDir: join(root, 'src'),
    outDir: outdir,
    module: 'nodenext',
    target: 'es2023',
    lib: 'es2023',
    types: 'node',
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    ignoreConfig: true,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  execFileSync(process.execPath, [join(dirname(compiler), 'bin', 'tsc'), ...flags, join(root, entry)], {
    stdio: 'inherit',
    cwd: root,
  });
}

if (process.argv[1] === import.meta.filename) await buildLibrary();
