import { CommandHelp } from '@oclif/core/help';
import type { CommandClass, CommandEntry } from './command-table.ts';
import { oclifConfig } from './oclif-config.ts';

/** Runs one command of the table on its own arguments, or prints its help when they ask for it. */
export async function runCommand(entry: CommandEntry, argv: readonly string[]): Promise<void> {
  const { default: CommandClass } = await entry.load();
  CommandClass.id = entry.name;
  const config = oclifConfig();
  if (asksForHelp(argv)) {
    const { args, flags, baseFlags, description, examples, usage } = CommandClass;
    const named = Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, { ...arg, name }]));
    const summary = CommandClass.summary ?? entry.summary;
    const described = {
      ...{ id: entry.name, aliases: [], hiddenAliases: [], args: named, description, examples, usage },
      flags: shortOnesFirst({ ...flags, ...baseFlags }),
    };
    const help = new CommandHelp(described as never, config, {
      maxWidth: helpWidth(),
      flagSortOrder: 'none',
    });
    process.stdout.write(`${summary}\n\n${help.generate()}\n`);
    return;
  }
  // oclif's own Command.run() would load the Config again, from disk.
  const command = new CommandClass([...argv], config) as unknown as { _run(): Promise<unknown> };
  await command._run();
}

/** Otherwise in the order in which they are declared. oclif's list is out of line when its first flag has no letter. */
function shortOnesFirst(flags: CommandClass['flags']): CommandClass['flags'] {
  const all = Object.entries(flags);
  return Object.fromEntries([
    ...all.filter(([, flag]) => flag.char),
    ...all.filter(([, flag]) => !flag.char),
  ]);
}

/** `--help` or `-h` before `--`. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

/** Columns: those of the terminal, within what can be read. Some terminals report 0. */
function helpWidth(): number {
  return Math.min(Math.max(process.stdout.columns || 100, 60), 120);
}
