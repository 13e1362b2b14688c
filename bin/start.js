#!/usr/bin/env node
// The entry that npm links, on every system. bin/kubectl-webhook comes here, too.
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

/** Whether the folder, or the nearest one above it that exists, belongs to this user or to root. */
function isOurs(folder) {
  try {
    return [process.getuid(), 0].includes(statSync(folder).uid);
  } catch {
    return isOurs(dirname(folder));
  }
}

/**
 * Where compiled code may be kept. Nowhere that is another user's: whoever can write compiled code can run it with this
 * user's cluster credentials, and what root makes there is in the other one's way.
 */
function cacheDirectory() {
  const { HOME = '', LOCALAPPDATA, XDG_CACHE_HOME = '' } = process.env;
  if (process.platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, ...inCache);
  const base = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : isAbsolute(HOME) && join(HOME, '.cache');
  const folder = base && join(base, ...inCache);
  return folder && isOurs(folder) ? folder : undefined;
}

/** The command that is to be run; undefined where help or a version is all that is asked for. */
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
  // Enough for help, which calls little of what it loads.
  if (cache && enableCompileCache) enableCompileCache(cache);
  if (existsSync(built)) return require(built);
  if (process.features.typescript && existsSync(source)) return import(pathToFileURL(source).href);
  return fail('kubectl webhook is not built yet: run "npm ci" in its checkout');
}

const [major] = process.versions.node.split('.');
if (Number(major) < 20) fail(`kubectl webhook needs Node 20 or later; this is ${process.version}`);
// What garbage may take beside what lives: a third more, not twice as much. Small heaps never get there.
setFlagsFromString('--heap-growing-percent=30');
run();
