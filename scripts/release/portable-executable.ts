/** Removes the signature of a Windows executable, which is not valid after a change. */
export function unsignedPe(executable: Buffer): Buffer {
  const header = executable.readUInt32LE(0x3c);
  if (executable.toString('latin1', header, header + 4) !== 'PE\0\0') throw new Error('not a PE executable');
  const optional = header + 24;
  if (executable.readUInt16LE(optional) !== 0x20b) throw new Error('not a PE32+ executable');
  const certificates = optional + 112 + 4 * 8;
  const [offset, size] = [executable.readUInt32LE(certificates), executable.readUInt32LE(certificates + 4)];
  if (size === 0) return executable;
  if (offset + size !== executable.length) throw new Error('the signature is not the end of the file');
  const unsigned = Buffer.from(executable.subarray(0, offset));
  unsigned.writeBigUInt64LE(0n, certificates);
  unsigned.writeUInt32LE(0, optional + 64); // checksum; required for drivers only
  return unsigned;
}
