#!/usr/bin/env node
// The entry that npm links, on every system. bin/kubectl-webhook comes here, too.
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

function fail(sentence) {
  process.stderr.write(`error: ${sentence}\n`);
  process.exit(2);
}

/** A directory of this user only: whoever can write compiled code can run it with this user's cluster credentials. */
function cacheDirectory() {
  const base =
    process.platform === 'win32'
      ? process.env.LOCALAPPDATA
      : process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return base && join(base, 'kubectl-webhook', 'compiled');
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
  if (cache && use && existsSync(built))
    return require('./kept-code.js').runKept(built, join(cache, 'commands'), use);
  // Enough for help, which calls little of what it loads.
  if (cache && enableCompileCache) enableCompileCache(cache);
  if (existsSync(built)) return require(built);
  if (process.features.typescript && existsSync(source)) return import(pathToFileURL(source).href);
  return fail('kubectl webhook is not built yet: run "npm ci" in its checkout');
}

const [major] = process.versions.node.split('.');
if (Number(major) < 20) fail(`kubectl webhook needs Node 20 or later; this is ${process.version}`);
run();
