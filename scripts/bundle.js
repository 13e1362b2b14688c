// Bundles the program as plain JavaScript without unused parts of its libraries. Loading the libraries takes
// most of the start-up time (docs/performance.md).
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

/** The root directory of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const ours = /\/src\//;
const agents = /\/@modelcontextprotocol\/sdk\//;
const oclif = /\/@oclif\/core\//;

/** Text of characters that are one column wide: ASCII, marks of this program, and its unbreakable space. */
export const narrow = /^[ -~\xb7\u2026\u2139\u25b2\u2714\u2716\ue000]*$/;

/** Loads the imported package only when one of these exports is used. */
function whenUsed(from, name, ...exported) {
  const getter = (key) =>
    `Object.defineProperty(exports, '${key}', { enumerable: true, get: () => require('${name}').${key} });`;
  return { from, imports: new RegExp(`^${name}$`), gets: exported.map(getter).join('\n') };
}

/** Imports that are replaced with smaller modules: the importing file, the import, and the replacement. */
const replaced = [
  // `import` reads every export of a Node module, and reading that of WebSocket loads all of fetch: 20 ms.
  { from: /./, imports: /^(node:)?http$/, gets: 'module.exports = require("node:http");' },
  // The index of oclif loads all of oclif; a name that is missing here fails the build.
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
  // Plugin support of oclif: finding, compiling and loading plugins from disk; detection of the shell.
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
  // src/cli/progress.ts defines the spinners.
  { from: /\/ora\//, imports: /^cli-spinners$/, gets: 'export default {};' },
  // Unused XML writers.
  { from: /\/xmlbuilder\//, imports: /\/XML(DocumentCB|StreamWriter)$/, gets: '' },
  // Tracing of oclif; DEBUG prints stack traces in this program.
  {
    from: oclif,
    imports: /^debug$/,
    gets: 'module.exports = () => Object.assign(() => {}, { enabled: false });',
  },
  // Of the MCP SDK: schemas of the older zod, requests of a server to its client; and the other languages of
  // zod.
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
  // It loads the rules for grapheme clusters (15 ms). Most text is narrow, or has colours besides.
  {
    from: /\/src\/|(?<!\/core)\/node_modules\/wrap-ansi\//,
    imports: /^string-width$/,
    gets: String.raw`const narrow = ${narrow};
export default (text, how) => {
  if (typeof text === 'string') {
    const shown = how === undefined && text.includes('\x1b') ? text.replace(/\x1b\[\d+m/g, '') : text;
    if (narrow.test(shown)) return shown.length;
  }
  return require('string-width').default(text, how);
};`,
  },
  // It loads the same rules, and no line of a table or of JSON is wrapped.
  {
    from: ours,
    imports: /^wrap-ansi$/,
    gets: "export default (...line) => require('wrap-ansi').default(...line);",
  },
  // For flags that name files, and arguments from standard input.
  whenUsed(oclif, 'node:fs/promises', 'readFile', 'stat'),
  whenUsed(oclif, 'node:readline', 'createInterface'),
  // oclif uses templates for help texts only.
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

/** Other non-ASCII characters in the output of esbuild are in regular expressions. */
const ascii = (text) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Options of all builds. */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  write: false,
  // The single executable calls the program as a function of `require`, which cannot evaluate import().
  supported: { 'dynamic-import': false },
  legalComments: 'none',
  // Without short names: with them, esbuild wraps each module in a function that V8 compiles at once, used or not.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  metafile: true,
};

/**
 * The MCP SDK as a separate module within the program, which V8 does not compile unless it is used (5 ms per
 * run). `inputs` receives the files in it.
 */
const agentsApart = (target, inputs) => ({
  name: 'agents-apart',
  setup(bundler) {
    const namespace = 'agents-apart';
    // Outside of these files it is CommonJS, whatever package.json contains.
    bundler.onResolve({ filter: /^\.\/sdk\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      namespace,
    }));
    bundler.onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const { outputFiles, metafile } = await build({
        ...common,
        entryPoints: [path],
        outfile: 'sdk.cjs',
        target,
        plugins: [withoutUnusedParts],
      });
      const [output] = Object.values(metafile.outputs);
      Object.assign(inputs, output.inputs);
      return { contents: outputFiles[0].text, loader: 'js' };
    });
  },
});

/**
 * Bundles src/cli/main.ts and its imports as one CommonJS file, which loads faster than hundreds of modules.
 * The text is ASCII, which Node stores in one byte per character. `target` is the oldest Node that runs
 * it; `banner` and `footer` stand around it. Returns the text, and the metafile of esbuild.
 */
export async function bundle({ target, banner, footer }) {
  const inputs = {};
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: ['src/cli/main.ts'],
    outfile: 'program.cjs',
    plugins: [agentsApart(target, inputs), withoutUnusedParts],
    target,
  });
  Object.assign(Object.values(metafile.outputs)[0].inputs, inputs);
  // Short names, now that the modules are wrapped.
  const { code } = await transform(outputFiles[0].text, {
    minify: true,
    format: 'cjs',
    platform: 'node',
    target,
    banner,
    footer,
    legalComments: 'none',
  });
  return { text: ascii(code), metafile };
}
