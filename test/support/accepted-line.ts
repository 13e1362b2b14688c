import { Parser } from '@oclif/core';
import { commandTable } from '../../src/cli/command-table.ts';

/** Throws the program's error if a flag or an argument does not exist. */
export async function accepts(words: readonly string[]): Promise<void> {
  const [name = '', ...argv] = words;
  const entry = commandTable.find((one) => one.name === name);
  if (entry === undefined) {
    if (['--version', '--help', 'COMMAND', 'help', 'options', 'version'].includes(name)) return;
    throw new Error(`there is no command ${name}`);
  }
  // A command without arguments, or its help, is not a line to run.
  if (argv.length === 0 || argv.includes('--help')) return;
  const { default: command } = await entry.load();
  const { flags = {}, args = {}, strict } = command;
  const [only = ''] = argv;
  if (argv.length === 1 && only.startsWith('--') && only.slice(2) in flags) return;
  await Parser.parse([...argv], { flags, args, strict, context: undefined as never });
}
