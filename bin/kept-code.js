// Runs a CommonJS file with what V8 compiled of it in an earlier run. Node's own compile cache keeps what loading a file
// compiles; most of what a command takes is compiled later, when functions are first called (docs/performance.md).
const fs = require('node:fs');
const { createRequire, wrapper } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

/** Milliseconds. Code is kept anew after an hour, with what runs called since then; what nobody runs goes after a month. */
const hour = 3_600_000;
const month = 720 * hour;

/** Bytes of the checksum at the end: V8 does not look whether its data are whole. */
const checksumBytes = 4;

/** Whoever can write compiled code can run it with the rights of the user who loads it. */
const isMine = ({ uid }) => process.getuid === undefined || uid === process.getuid();

/** No links are followed, nothing waits for the other end of a pipe; Windows has neither flag. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/** What was kept in that file, and when (milliseconds since 1970); undefined where nothing usable was. */
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

/** Not by `recursive`: where a file system makes no folders and says so with ENOENT, as /proc does, Node tries for ever. */
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
    if (Date.now() - fs.lstatSync(old).mtimeMs > month) fs.rmSync(old, { force: true });
  }
}

/**
 * Runs `program`, a CommonJS file in ASCII. Its compiled code is kept in `folder`, a directory for nothing else, one
 * file for each `use`: a word for what it is about to do, on which it depends what it calls. Nothing that is wrong with
 * what was kept, or with the place for it, ends the program.
 */
exports.runKept = (program, folder, use) => {
  // Node 20.15 is the first with it.
  if (crc32 === undefined) return require(program);
  // As one piece from the start: V8 holds its source for good, and a second copy for as long as it likes.
  const bytes = Buffer.concat([Buffer.from(wrapper[0]), fs.readFileSync(program), Buffer.from(wrapper[1])]);
  const name = `${use}-${process.version}-${process.arch}-${crc32(bytes).toString(16)}`;
  const file = join(folder, name);
  const { compiled, at } = read(file) ?? {};
  const script = new Script(bytes.latin1Slice(), { filename: program, cachedData: compiled });
  const isFresh = script.cachedDataRejected === false && Date.now() - at < hour;
  process.on('exit', (exitCode) => {
    // A run that was refused called little of what its command calls, and may have named no command at all.
    if (exitCode === 2 || isFresh) return;
    try {
      write(file, script.createCachedData());
    } catch {}
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(program), module, program, dirname(program));
};
