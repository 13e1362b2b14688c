/**
 * Removes what follows the segments of an ELF executable (64 bit, little endian): section headers, symbols,
 * debugging information. The loaded bytes do not change. The `strip` program supports only its own
 * architecture.
 */
export function stripElf(executable: Buffer): Buffer {
  if (executable.readUInt32BE(0) !== 0x7f454c46 || executable[4] !== 2 || executable[5] !== 1)
    throw new Error('not an ELF executable of 64 bits');
  const [headers, size, count] = [
    Number(executable.readBigUInt64LE(32)),
    executable.readUInt16LE(54),
    executable.readUInt16LE(56),
  ];
  const ends = Array.from({ length: count }, (_, index) => {
    const at = headers + index * size;
    return Number(executable.readBigUInt64LE(at + 8) + executable.readBigUInt64LE(at + 32));
  });
  const stripped = Buffer.from(executable.subarray(0, Math.max(headers + count * size, ...ends)));
  stripped.writeBigUInt64LE(0n, 40); // e_shoff
  stripped.writeUInt32LE(0, 60); // e_shnum, e_shstrndx
  return stripped;
}
