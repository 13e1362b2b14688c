import type { CommandEntry } from './command-table.ts';
import { closest, withSuggestion } from './explain-error.ts';
import { programName, programVersion } from './program.ts';
import { fitted } from './terminal.ts';

/** Finds a command by its name or alias. */
export const commandNamed = (table: readonly CommandEntry[], name: string | undefined) =>
  table.find(({ name: own, alias }) => name !== undefined && (own === name || alias === name));

/** The text of `kubectl webhook --help`: summary, commands, further help. */
export function rootHelp(table: readonly CommandEntry[]): string {
  const width = Math.max(0, ...table.map((entry) => entry.name.length));
  const commands = table.map((entry) => `  ${entry.name.padEnd(width)}  ${entry.summary}`);
  return [
    'Finds out why Kubernetes webhooks fail, and fixes them.',
    '',
    'Usage:',
    `  ${programName} COMMAND [flags]`,
    '',
    'Commands:',
    ...commands,
    '',
    'Flags:',
    '  -h, --help     this text; after a command, the help of that command',
    '      --version  print the version',
    '      --color    auto (the default), always or never; with every command',
    '',
    'Commands that connect to a cluster accept the flags of kubectl: --context,',
    `--kubeconfig, -n, --as and the rest ("${programName} options").`,
    `"${programName} COMMAND --help" explains a command.`,
    '',
  ].join('\n');
}

/** Exits with 2, after printing this error and a pointer to the help. */
class UsageError extends Error {
  readonly badUsage = true;
}

/** FORCE_COLOR for each value of --color; with `auto` the environment and the terminal decide. */
const colours: Readonly<Record<string, string | undefined>> = { auto: undefined, always: '1', never: '0' };

/** The arguments without `--color`: every command accepts it, and it is applied through FORCE_COLOR. */
function withoutColour(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const at = argv.findIndex((word, place) => /^--color(=|$)/.test(word) && (end < 0 || place < end));
  if (at < 0) return argv;
  const [, inside] = argv[at]?.split('=') ?? [];
  const value = inside ?? argv[at + 1] ?? '';
  if (!Object.hasOwn(colours, value)) {
    throw new UsageError(`invalid --color "${value}": must be one of ${Object.keys(colours).join(', ')}`);
  }
  if (colours[value] !== undefined) process.env.FORCE_COLOR = colours[value];
  return argv.toSpliced(at, inside === undefined ? 2 : 1);
}

/** Runs `kubectl webhook` with these arguments. Results set process.exitCode; errors are thrown. */
export async function cli(argv: readonly string[], table: readonly CommandEntry[]): Promise<void> {
  const [name, ...rest] = withoutColour(argv);
  if (name === undefined || name === '--help' || name === '-h') {
    process.stdout.write(await fitted(rootHelp(table)));
    return;
  }
  if (name === '--version' || name === 'version') {
    process.stdout.write(await versionText(rest));
    return;
  }
  if (name === 'options') {
    const { kubeFlagLines } = await import('./kube-flags.ts');
    const what = 'The following flags can be passed to every command that connects to a cluster:';
    process.stdout.write(await fitted(`${what}\n\n${kubeFlagLines()}`));
    return;
  }
  if (name === 'help') return cli([...rest.slice(0, 1), '--help'], table);
  const entry = commandNamed(table, name);
  if (entry === undefined) throw new UsageError(unknownWord(name, table));
  // Loaded late: help, version and mistyped commands do not need oclif.
  const { runCommand } = await import('./run-command.ts');
  await runCommand(entry, rest);
}

async function versionText(flags: readonly string[]): Promise<string> {
  const document = { clientVersion: { gitVersion: `v${programVersion}` } };
  const [, format] = /(?:^| )(?:-o|--output)[= ]?(\S*)/.exec(flags.join(' ')) ?? [];
  if (format === undefined) return `kubectl-webhook v${programVersion}\n`;
  if (format !== 'json' && format !== 'yaml')
    throw new UsageError(`invalid --output "${format}": must be one of json, yaml`);
  return (await import('../render/data-formats/print-document.ts')).documentText(document, format);
}

function unknownWord(word: string, table: readonly CommandEntry[]): string {
  if (word.startsWith('-')) {
    const [flag] = word.split('='); // the value may be a token
    return `${programName} has no flag ${flag}; flags must come after the command`;
  }
  const names = table.map((entry) => entry.name);
  return withSuggestion(`unknown command "${word}"`, closest(word, names));
}
