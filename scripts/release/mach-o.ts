/** Offset of a load command in the file, its type in <mach-o/loader.h>, and its length. */
export interface LoadCommand {
  readonly at: number;
  readonly type: number;
  readonly size: number;
}

/** The load commands of a 64-bit Mach-O executable. */
export function loadCommands(file: Buffer): readonly LoadCommand[] {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error('not a Mach-O executable of 64 bits');
  const commands: LoadCommand[] = [];
  for (let [at, left] = [32, file.readUInt32LE(16)]; left > 0; left -= 1) {
    const size = file.readUInt32LE(at + 4);
    commands.push({ at, type: file.readUInt32LE(at), size });
    at += size;
  }
  return commands;
}

const symbolTable = 0x2;
const dynamicSymbolTable = 0xb;
/** struct nlist_64. */
const entrySize = 16;

/**
 * Removes the local symbols of a Mach-O executable: names of functions for debuggers, 20 MB in Node. They are
 * overwritten with zeros, so that no offset changes; compression removes the zeros.
 */
export function withoutLocalSymbols(executable: Buffer): Buffer {
  const commands = loadCommands(executable);
  const symbols = commands.find(({ type }) => type === symbolTable)?.at;
  const dynamic = commands.find(({ type }) => type === dynamicSymbolTable)?.at;
  if (symbols === undefined || dynamic === undefined) throw new Error('no symbol table');
  const [entries = 0, count = 0, names = 0, namesSize = 0] = [8, 12, 16, 20].map((at) =>
    executable.readUInt32LE(symbols + at),
  );
  const firstLocal = executable.readUInt32LE(dynamic + 8);
  const endOfLocal = firstLocal + executable.readUInt32LE(dynamic + 12);
  const made = Buffer.from(executable);
  made.fill(0, names, names + namesSize);
  for (let index = 0; index < count; index += 1) {
    const entry = entries + index * entrySize;
    if (index >= firstLocal && index < endOfLocal) {
      made.fill(0, entry, entry + entrySize);
      continue;
    }
    const name = names + executable.readUInt32LE(entry);
    executable.copy(made, name, name, executable.indexOf(0, name));
  }
  return made;
}
