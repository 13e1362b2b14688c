import { CommandHelp } from '@oclif/core/help';
import type { CommandEntry } from './command-table.ts';
import { oclifConfig } from './oclif-config.ts';

/** Runs one command of the table on its own arguments, or prints its help when they ask for it. */
export async function runCommand(entry: CommandEntry, argv: readonly string[]): Promise<void> {
  const { default: CommandClass } = await entry.load();
  CommandClass.id = entry.name;
  const config = oclifConfig();
  if (asksForHelp(argv)) {
    const { args, flags, baseFlags, description, examples, summary, usage } = CommandClass;
    const described = {
      ...{ id: entry.name, aliases: [], hiddenAliases: [], args, description, examples, usage },
      ...{ summary: summary ?? entry.summary, flags: { ...baseFlags, ...flags } },
    };
    const help = new CommandHelp(described as never, config, {
      maxWidth: helpWidth(),
      flagSortOrder: 'none',
    });
    process.stdout.write(`${described.summary}\n\n${help.generate()}\n`);
    return;
  }
  // oclif's own Command.run() would load the Config again, from disk.
  const command = new CommandClass([...argv], config) as unknown as { _run(): Promise<unknown> };
  await command._run();
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
