import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { withoutLocalSymbols } from '../../scripts/release/mach-o.ts';
import { signMachO } from '../../scripts/release/mach-o-signature.ts';

/** A segment with one section, or none. */
function segment(name: string, [offset, size]: readonly [number, number], sectionAt?: number): Buffer {
  const sections = sectionAt === undefined ? 0 : 1;
  const command = Buffer.alloc(72 + sections * 80);
  command.writeUInt32LE(0x19, 0);
  command.writeUInt32LE(command.length, 4);
  command.write(name, 8, 'latin1');
  command.writeBigUInt64LE(BigInt(offset), 40);
  command.writeBigUInt64LE(BigInt(size), 48);
  command.writeUInt32LE(sections, 64);
  if (sectionAt !== undefined) command.writeUInt32LE(sectionAt, 72 + 48);
  return command;
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4);
  return buffer;
}

const names = Buffer.from('\0_local\0_main\0');
const entry = (name: number): Buffer => Buffer.concat([numbers(name), Buffer.alloc(12, 1)]);

/** 16 kB of code, then a symbol table with one local and one other name. */
function executable(firstContent = 0x1000): Buffer {
  const symbols = 0x4000;
  const [stringsAt, size] = [symbols + 32, 32 + names.length];
  const commands = [
    segment('__TEXT', [0, symbols], firstContent),
    segment('__LINKEDIT', [symbols, size]),
    numbers(0x2, 24, symbols, 2, stringsAt, names.length),
    Buffer.concat([numbers(0xb, 80, 0, 1), Buffer.alloc(64)]),
  ];
  const loaded = Buffer.concat(commands);
  const header = Buffer.concat([
    numbers(0xfeedfacf, 0x0100000c, 0, 2, commands.length, loaded.length, 0, 0),
    loaded,
  ]);
  const code = Buffer.alloc(symbols, 7);
  header.copy(code);
  return Buffer.concat([code, entry(1), entry(8), names]);
}

describe('the signature of a Mach-O executable', () => {
  const signed = signMachO(executable(), 'sample');
  const command = 32 + signed.readUInt32LE(20) - 16;
  const [at, size] = [signed.readUInt32LE(command + 8), signed.readUInt32LE(command + 12)];
  const directory = at + 20;

  it('is the last load command, and ends the file', () => {
    expect(signed.readUInt32LE(command)).to.equal(0x1d);
    expect(signed.readUInt32LE(16)).to.equal(5);
    expect(at + size).to.equal(signed.length);
    expect(signed.readUInt32BE(at)).to.equal(0xfade0cc0);
  });

  it('belongs to the last segment', () => {
    const linkEdit = signed.indexOf('__LINKEDIT') - 8;
    expect(Number(signed.readBigUInt64LE(linkEdit + 48))).to.equal(signed.length - 0x4000);
  });

  it('covers every page before it', () => {
    expect(signed.readUInt32BE(directory)).to.equal(0xfade0c02);
    expect(signed.readUInt32BE(directory + 32)).to.equal(at);
    const hashes = directory + signed.readUInt32BE(directory + 16);
    const pages = signed.readUInt32BE(directory + 28);
    expect(pages).to.equal(Math.ceil(at / 4096));
    for (let page = 0; page < pages; page += 1) {
      const content = signed.subarray(page * 4096, Math.min((page + 1) * 4096, at));
      const hash = createHash('sha256').update(content).digest('hex');
      expect(signed.toString('hex', hashes + page * 32, hashes + page * 32 + 32), `page ${page}`).to.equal(
        hash,
      );
    }
  });

  it('is not written if there is no room, nor on another one', () => {
    expect(() => signMachO(executable(370), 'sample')).to.throw('no room');
    expect(() => signMachO(signed, 'sample')).to.throw('is signed');
  });
});

describe('a Mach-O executable without local symbols', () => {
  it('keeps the others, and everything in its place', () => {
    const [before, after] = [executable(), withoutLocalSymbols(executable())];
    expect(after.length).to.equal(before.length);
    expect(after.subarray(0, 0x4000).equals(before.subarray(0, 0x4000))).to.equal(true);
    expect(after.subarray(0x4000, 0x4010).equals(Buffer.alloc(16))).to.equal(true);
    expect(after.subarray(0x4010, 0x4020).equals(entry(8))).to.equal(true);
    expect(after.toString('latin1', 0x4020)).to.equal(`${'\0'.repeat(8)}_main\0`);
  });
});
