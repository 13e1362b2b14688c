#!/usr/bin/env node
// The entry point in the npm package, on every system. bin/kubectl-webhook runs it, too.
const { existsSync, statSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { dirname, isAbsolute, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');

const inCache = ['kubectl-webhook', 'compiled'];

function fail(sentence) {
  process.stderr.write(`error: ${sentence}\n`);
  process.exit(2);
}

/** Whether the folder, or its nearest existing parent, belongs to this user or to root. */
function isOurs(folder) {
  try {
    return [process.getuid(), 0].includes(statSync(folder).uid);
  } catch {
    return isOurs(dirname(folder));
  }
}

/**
 * The directory for compiled code. It must not belong to another user: its content runs with the cluster
 * credentials of this user, and a user cannot replace files of root.
 */
function cacheDirectory() {
  const { HOME = '', LOCALAPPDATA, XDG_CACHE_HOME = '' } = process.env;
  if (process.platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, ...inCache);
  const base = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : isAbsolute(HOME) && join(HOME, '.cache');
  const folder = base && join(base, ...inCache);
  return folder && isOurs(folder) ? folder : undefined;
}

/** The command in the arguments; undefined for help and the version. */
function command() {
  const [word = '', ...more] = process.argv.slice(2);
  return /^[a-z][a-z-]{0,30}$/.test(word) && !more.some((flag) => /^(-h|--help)$/.test(flag))
    ? word
    : undefined;
}

function run() {
  const built = join(__dirname, '..', 'dist', 'program', 'main.cjs');
  const source = join(__dirname, '..', 'src', 'cli', 'main.ts');
  const cache = cacheDirectory();
  const use = command();
  if (cache && use && existsSync(built)) {
    const { runKept } = require('./kept-code.js');
    return runKept(built, join(cache, 'commands'), use);
  }
  // Sufficient for help, which calls few of the loaded functions.
  if (cache && enableCompileCache) enableCompileCache(cache);
  if (existsSync(built)) return require(built);
  if (process.features.typescript && existsSync(source)) return import(pathToFileURL(source).href);
  return fail('kubectl webhook is not built yet: run "npm ci" in its checkout');
}

const [major] = process.versions.node.split('.');
if (Number(major) < 20) fail(`kubectl webhook needs Node 20 or later; this is ${process.version}`);
// The heap may grow by a third before garbage collection, instead of doubling. Small heaps do not reach the
// limit.
setFlagsFromString('--heap-growing-percent=30');
// The optimizing compilers of V8 compile a function after ten times more calls: most runs end before their code
// saves time. Other versions of Node may print an error for these flags.
if (major === '24') {
  setFlagsFromString('--invocation-count-for-maglev=4000');
  setFlagsFromString('--invocation-count-for-turbofan=30000');
}
run();
