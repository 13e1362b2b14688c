import { createHash } from 'node:crypto';
import { type LoadCommand, loadCommands } from './mach-o.ts';

// Constants of <mach-o/loader.h> and of <kern/cs_blobs.h> (xnu). Load commands are little endian, signatures
// big endian.
const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const embeddedSignature = 0xfade0cc0;
const codeDirectory = 0xfade0c02;
const versionWithExecutableSegment = 0x20400;
/** An ad hoc signature by a linker: no certificate, only the hashes of the pages. */
const flags = 0x2 | 0x20000;
const sha256 = { size: 32, type: 2 };
const pageBits = 12;
const pageSize = 1 << pageBits;
const mainBinary = 1n;
const directorySize = 88;
/** The largest page size of supported processors; macOS requires segments to end at a page boundary. */
const segmentAlignment = 0x4000;

const aligned = (value: number, to: number): number => Math.ceil(value / to) * to;

function segment(file: Buffer, commands: readonly LoadCommand[], name: string): number {
  const found = commands.find(
    ({ type, at }) =>
      type === segmentCommand && file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '') === name,
  );
  if (found === undefined) throw new Error(`no segment ${name}`);
  return found.at;
}

/** Lowest file offset of the content of a section: load commands can grow up to it. */
function firstContent(file: Buffer, commands: readonly LoadCommand[]): number {
  const offsets = commands
    .filter(({ type }) => type === segmentCommand)
    .flatMap(({ at }) =>
      Array.from({ length: file.readUInt32LE(at + 64) }, (_, index) =>
        file.readUInt32LE(at + 72 + index * 80 + 48),
      ),
    );
  return Math.min(...offsets.filter((offset) => offset > 0));
}

function hashesOfPages(content: Buffer): Buffer {
  const pages = Array.from({ length: Math.ceil(content.length / pageSize) }, (_, page) =>
    createHash('sha256')
      .update(content.subarray(page * pageSize, (page + 1) * pageSize))
      .digest(),
  );
  return Buffer.concat(pages);
}

/**
 * Adds an ad hoc signature to a Mach-O executable without one: macOS on Apple silicon runs only signed
 * executables. The signature proves the integrity of the file, not its author.
 */
export function signMachO(executable: Buffer, identifier: string): Buffer {
  const commands = loadCommands(executable);
  if (commands.some(({ type }) => type === signatureCommand)) throw new Error('the executable is signed');
  const codeLimit = aligned(executable.length, 16);
  const name = Buffer.from(`${identifier}\0`);
  const pages = Math.ceil(codeLimit / pageSize);
  const hashesAt = directorySize + name.length;
  const length = hashesAt + pages * sha256.size;
  const signatureSize = aligned(20 + length, 16);

  const signed = Buffer.alloc(codeLimit + signatureSize);
  executable.copy(signed);
  // The load command, after the others.
  const end = 32 + signed.readUInt32LE(20);
  if (end + 16 > firstContent(executable, commands))
    throw new Error('no room for the load command of a signature');
  signed.writeUInt32LE(signed.readUInt32LE(16) + 1, 16);
  signed.writeUInt32LE(signed.readUInt32LE(20) + 16, 20);
  for (const [index, value] of [signatureCommand, 16, codeLimit, signatureSize].entries())
    signed.writeUInt32LE(value, end + 4 * index);
  // The last segment contains the signature, too.
  const linkEdit = segment(executable, commands, '__LINKEDIT');
  const size = signed.length - Number(signed.readBigUInt64LE(linkEdit + 40));
  signed.writeBigUInt64LE(BigInt(aligned(size, segmentAlignment)), linkEdit + 32);
  signed.writeBigUInt64LE(BigInt(size), linkEdit + 48);

  const text = segment(executable, commands, '__TEXT');
  const words = (...values: readonly number[]): Buffer => {
    const buffer = Buffer.alloc(values.length * 4);
    for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
    return buffer;
  };
  const directory = Buffer.concat([
    words(codeDirectory, length, versionWithExecutableSegment, flags, hashesAt, directorySize),
    words(0, pages, codeLimit),
    Buffer.from([sha256.size, sha256.type, 0, pageBits]),
    Buffer.alloc(4 + 4 + 4 + 4 + 8),
    Buffer.alloc(24),
  ]);
  directory.writeBigUInt64BE(signed.readBigUInt64LE(text + 40), directorySize - 24);
  directory.writeBigUInt64BE(signed.readBigUInt64LE(text + 48), directorySize - 16);
  directory.writeBigUInt64BE(mainBinary, directorySize - 8);
  Buffer.concat([
    words(embeddedSignature, 20 + length, 1, 0, 20),
    directory,
    name,
    hashesOfPages(signed.subarray(0, codeLimit)),
  ]).copy(signed, codeLimit);
  return signed;
}
