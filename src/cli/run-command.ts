import type { Interfaces } from '@oclif/core';
import type { CommandEntry } from './command-table.ts';
import { oclifConfig } from './oclif-config.ts';
import { fitted } from './terminal.ts';

/** Runs a command with its arguments, or prints its help if requested. */
export async function runCommand(entry: CommandEntry, argv: readonly string[]): Promise<void> {
  const { default: CommandClass } = await entry.load();
  CommandClass.id = entry.name;
  if (isHelpRequested(argv)) {
    const { commandHelp } = await import('./command-help.ts');
    process.stdout.write(await fitted(await commandHelp(entry, CommandClass, helpWidth())));
    return;
  }
  // oclif's Command.run() would load the Config again from disk.
  const words = argumentsOf(argv, CommandClass.flags);
  const command = new CommandClass(words, oclifConfig()) as unknown as { _run(): Promise<unknown> };
  await command._run();
}

function split(argv: readonly string[]): readonly [own: readonly string[], rest: readonly string[]] {
  const end = argv.indexOf('--');
  return end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)];
}

const isHelpRequested = (argv: readonly string[]): boolean =>
  split(argv)[0].some((word) => word === '--help' || word === '-h');

/**
 * Converts what kubectl accepts to oclif's form: `--flag=true` and `--flag=false` (strconv.ParseBool), and
 * `--dry-run` without a value, which means `client`.
 */
function argumentsOf(argv: readonly string[], flags: Interfaces.FlagInput = {}): string[] {
  const [own, rest] = split(argv);
  const words = own.flatMap((word, at) => {
    if (word === '--dry-run' && 'dry-run' in flags && !/^(client|server)$/.test(own[at + 1] ?? ''))
      return '--dry-run=client';
    const [, name = '', value = ''] = /^--([a-z-]+)=(t|true|1|f|false|0)$/i.exec(word) ?? [];
    const flag = flags[name];
    if (flag?.type !== 'boolean') return word;
    if (/^[t1]/i.test(value)) return `--${name}`;
    return flag.allowNo ? `--no-${name}` : [];
  });
  return [...words, ...rest];
}

/** Columns of the terminal, limited to a readable range. Some terminals report 0. */
function helpWidth(): number {
  return Math.min(Math.max(process.stdout.columns || 80, 60), 120);
}
