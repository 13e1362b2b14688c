interface ProgramFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

export function replaceProgram(
  folder: string,
  program: { readonly entry: ProgramFile; readonly others: readonly ProgramFile[]; readonly clean?: boolean },
): void;
