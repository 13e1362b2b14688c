// Runs a CommonJS file with the compiled code of an earlier run. The compile cache of Node stores only the
// code that is compiled at load time; most functions are compiled later, when they are first called
// (docs/performance.md).
const fs = require('node:fs');
const { createRequire, wrapper } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

/**
 * Milliseconds. Compiled code is stored again after an hour, with the functions called since then; unused
 * code is deleted after a month.
 */
const hour = 3_600_000;
const month = 720 * hour;

/** Length of the checksum at the end, in bytes: V8 does not verify its data. */
const checksumBytes = 4;

/** Only files of the current user are used: their content runs with the permissions of that user. */
const isMine = ({ uid }) => process.getuid === undefined || uid === process.getuid();

/** Do not follow symbolic links, and do not wait for the other end of a pipe; Windows has neither flag. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/** The stored code, and its time (milliseconds since 1970); undefined if none is usable. */
function read(file) {
  try {
    const opened = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fs.fstatSync(opened);
      if (!isMine(stat)) return undefined;
      const content = fs.readFileSync(opened);
      const end = content.length - checksumBytes;
      const compiled = content.subarray(0, end);
      return content.readUInt32LE(end) === crc32(compiled) ? { compiled, at: stat.mtimeMs } : undefined;
    } finally {
      fs.closeSync(opened);
    }
  } catch {
    return undefined;
  }
}

/**
 * Without `recursive`: Node retries for ever in file systems that return ENOENT for new folders, such as
 * /proc.
 */
function makeFolder(folder) {
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch ({ code }) {
    if (code !== 'ENOENT') return;
    makeFolder(dirname(folder));
    fs.mkdirSync(folder, { mode: 0o700 });
  }
}

function write(file, compiled) {
  const folder = dirname(file);
  makeFolder(folder);
  const stat = fs.lstatSync(folder);
  if (!stat.isDirectory() || !isMine(stat)) return;
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(compiled));
  const beside = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(beside, Buffer.concat([compiled, checksum]), { mode: 0o600, flag: 'wx' });
    fs.renameSync(beside, file);
  } finally {
    fs.rmSync(beside, { force: true });
  }
  for (const name of fs.readdirSync(folder)) {
    const old = join(folder, name);
    try {
      if (Date.now() - fs.lstatSync(old).mtimeMs > month) fs.rmSync(old, { force: true });
    } catch {}
  }
}

/** The file as the body of a function, as Node compiles CommonJS: read into its place, because a copy costs as much. */
function functionWith(program) {
  const [start, end] = wrapper;
  const opened = fs.openSync(program, O_RDONLY);
  try {
    const { size } = fs.fstatSync(opened);
    const bytes = Buffer.allocUnsafe(start.length + size + end.length);
    bytes.latin1Write(start, 0);
    const got = fs.readSync(opened, bytes, start.length, size, 0);
    bytes.latin1Write(end, start.length + got);
    return bytes.latin1Slice(0, start.length + got + end.length);
  } finally {
    fs.closeSync(opened);
  }
}

/**
 * Runs `program`, a CommonJS file in ASCII that ends with a comment, the checksum of its content. Its compiled
 * code is stored in `folder`, a directory for nothing else, one file for each `use`: a word such as the name of
 * the command, because commands call different functions. Errors with the stored code are ignored.
 */
exports.runKept = (program, folder, use) => {
  // Available since Node 20.15 and 22.2.
  if (crc32 === undefined) return require(program);
  const text = functionWith(program);
  const [, checksum] = /\/\/([0-9a-f]+)\s+\}\);$/.exec(text.slice(-40)) ?? [];
  if (checksum === undefined) return require(program);
  const file = join(folder, `${use}-${process.version}-${process.arch}-${checksum}`);
  const { compiled, at } = read(file) ?? {};
  const script = new Script(text, { filename: program, cachedData: compiled });
  const isFresh = script.cachedDataRejected === false && Math.abs(Date.now() - at) < hour;
  process.on('exit', (exitCode) => {
    // Exit code 2: few functions were called, and the command name may be invalid.
    if (exitCode === 2 || isFresh) return;
    try {
      write(file, script.createCachedData());
    } catch {}
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(program), module, program, dirname(program));
};
