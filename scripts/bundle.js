// The program as plain JavaScript, without the parts of its libraries that it never runs. Loading those, not running
// ours, is what start-up costs (docs/performance.md).
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const ours = /\/src\//;
const agents = /\/@modelcontextprotocol\/sdk\//;
const oclif = /\/@oclif\/core\//;

/** An import that loads its package only when one of these exports is used. */
function whenUsed(from, name, ...exported) {
  const getter = (key) =>
    `Object.defineProperty(exports, '${key}', { enumerable: true, get: () => require('${name}').${key} });`;
  return { from, imports: new RegExp(`^${name}$`), gets: exported.map(getter).join('\n') };
}

/** Imports that are answered with less: who imports what, and the least that it needs of it. */
const replaced = [
  // `import` reads every export of a module of Node, and that of WebSocket loads the whole of fetch: 20 ms.
  { from: /./, imports: /^(node:)?http$/, gets: 'module.exports = require("node:http");' },
  // oclif's index loads all of it; a name that is missing here fails the build.
  {
    from: ours,
    imports: /^@oclif\/core$/,
    gets: ['Command:command', 'Config:config', '* as Args:args', '* as Flags:flags', '* as Errors:errors']
      .map((pair) => pair.split(':'))
      .map(
        ([name, path]) => `export ${name.startsWith('*') ? name : `{ ${name} }`} from '@oclif/core/${path}';`,
      )
      .join('\n'),
  },
  // oclif's plugin host: finding, compiling and loading plugins from disk; which shell this is.
  {
    from: oclif,
    imports: /\/(plugin-loader|plugin|ts-path|module-loader|util\/os|spinners\.json)$/,
    gets: 'module.exports = { default: class {} };',
  },
  { from: oclif, imports: /^@oclif\/core\/package\.json$/, gets: 'module.exports = { version: "" };' },
  {
    from: oclif,
    imports: /^cli-spinners$/,
    gets: 'module.exports = { line: { frames: [] }, dots2: { frames: [] } };',
  },
  // Ours are in src/cli/progress.ts.
  { from: /\/ora\//, imports: /^cli-spinners$/, gets: 'export default {};' },
  // Ways to write XML piece by piece.
  { from: /\/xmlbuilder\//, imports: /\/XML(DocumentCB|StreamWriter)$/, gets: '' },
  // oclif's own tracing; DEBUG shows stacks with us.
  {
    from: oclif,
    imports: /^debug$/,
    gets: 'module.exports = () => Object.assign(() => {}, { enabled: false });',
  },
  // Of the SDK for agents: schemas of the older zod, what a server asks its client with; and zod's other languages.
  { from: agents, imports: /^(zod\/v3|zod-to-json-schema)$/, gets: 'export const zodToJsonSchema = {};' },
  {
    from: agents,
    imports: /\/validation\/ajv-provider\.js$/,
    gets: 'export class AjvJsonSchemaValidator {}',
  },
  { from: /\/zod\/v4\//, imports: /^\.\.\/locales\/index\.js$/, gets: 'export {};' },
  // Most clusters have no matchConditions.
  whenUsed(ours, '@marcbachmann/cel-js', 'Environment'),
  whenUsed(ours, 're2js', 'RE2JS'),
  // It sets up the rules by which text is divided into characters (15 ms). Most text is ASCII.
  {
    from: ours,
    imports: /^string-width$/,
    gets: `const ascii = /^[ -~]*$/;
export default (text, how) =>
  typeof text === 'string' && ascii.test(text) ? text.length : require('string-width').default(text, how);`,
  },
  // For flags that name files, and arguments from standard input.
  whenUsed(oclif, 'node:fs/promises', 'readFile', 'stat'),
  whenUsed(oclif, 'node:readline', 'createInterface'),
  // Templates are for help texts.
  whenUsed(oclif, 'ejs', 'render'),
  {
    from: oclif,
    imports: /^(semver|tinyglobby|minimatch|lilconfig|wsl-utils|get-package-type|typescript|ts-node)$/,
    gets: 'module.exports = {};',
  },
];

const withoutUnusedParts = {
  name: 'without-unused-parts',
  setup(bundler) {
    for (const [index, { from, imports, gets }] of replaced.entries()) {
      const namespace = `replaced-${index}`;
      bundler.onResolve({ filter: imports, namespace: 'file' }, ({ path, importer, resolveDir }) => {
        if (from.test(importer.replaceAll('\\', '/'))) return { path, namespace, pluginData: resolveDir };
      });
      bundler.onLoad({ filter: /.*/, namespace }, ({ pluginData }) => {
        return { contents: gets, loader: 'js', resolveDir: pluginData };
      });
    }
  },
};

/** What esbuild leaves of other characters stands in regular expressions. */
const ascii = (text) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How all of it is built. */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  write: false,
  // A function of `require`, as the single executable calls it, has no way to answer import().
  supported: { 'dynamic-import': false },
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  metafile: true,
};

/**
 * The SDK for agents as one module within the program: V8 reads over it. Side by side with ours, its thousands of
 * functions are set up in every run (5 ms). `inputs` gets what is in it.
 */
const agentsApart = (how, inputs) => ({
  name: 'agents-apart',
  setup(bundler) {
    const namespace = 'agents-apart';
    // Outside of the files it is CommonJS, whatever package.json says.
    bundler.onResolve({ filter: /^\.\/sdk\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      namespace,
    }));
    bundler.onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const { outputFiles, metafile } = await build({
        ...common,
        entryPoints: [path],
        outfile: 'sdk.cjs',
        minifyIdentifiers: true,
        target: how.target,
        plugins: [withoutUnusedParts],
      });
      const [output] = Object.values(metafile.outputs);
      Object.assign(inputs, output.inputs);
      return { contents: outputFiles[0].text, loader: 'js' };
    });
  },
});

/**
 * src/cli/main.ts and all that it loads as one CommonJS file: finding and linking hundreds of modules costs more than
 * reading one. Its text is ASCII, of which Node keeps one byte per character. `how` says what else esbuild shall know.
 * Returns the text, and what esbuild says of it.
 */
export async function bundle(how) {
  const inputs = {};
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: ['src/cli/main.ts'],
    outfile: 'program.cjs',
    plugins: [agentsApart(how, inputs), withoutUnusedParts],
    ...how,
  });
  Object.assign(Object.values(metafile.outputs)[0].inputs, inputs);
  return { text: ascii(outputFiles[0].text), metafile };
}
