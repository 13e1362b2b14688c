import type { CommandEntry } from './command-table.ts';
import { oclifConfig } from './oclif-config.ts';

/** Runs one command of the table on its own arguments, or prints its help when they ask for it. */
export async function runCommand(entry: CommandEntry, argv: readonly string[]): Promise<void> {
  const { default: CommandClass } = await entry.load();
  CommandClass.id = entry.name;
  if (asksForHelp(argv)) {
    const { commandHelp } = await import('./command-help.ts');
    process.stdout.write(await commandHelp(entry, CommandClass, helpWidth()));
    return;
  }
  // oclif's own Command.run() would load the Config again, from disk.
  const command = new CommandClass([...argv], oclifConfig()) as unknown as { _run(): Promise<unknown> };
  await command._run();
}

/** `--help` or `-h` before `--`. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

/** Columns: those of the terminal, within what can be read. Some terminals report 0. */
function helpWidth(): number {
  return Math.min(Math.max(process.stdout.columns || 100, 60), 120);
}
