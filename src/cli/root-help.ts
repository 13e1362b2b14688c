import type { CommandEntry } from './command-table.ts';
import { programName } from './program.ts';

/** The text of `kubectl webhook --help`: what it is for, the commands, where to go on. */
export function rootHelp(table: readonly CommandEntry[]): string {
  const width = Math.max(0, ...table.map((entry) => entry.name.length));
  const commands = table.map((entry) => `  ${entry.name.padEnd(width)}  ${entry.summary}`);
  return [
    'Finds out why Kubernetes webhooks fail.',
    '',
    'Usage:',
    `  ${programName} COMMAND [flags]`,
    '',
    'Commands:',
    ...commands,
    '',
    'Flags:',
    '  -h, --help     this text; after a command, its own',
    '      --version  the version of this program',
    '',
    'Commands that talk to a cluster take the flags of kubectl: --context,',
    '--kubeconfig, -n, --as and the rest.',
    `"${programName} COMMAND --help" tells more about a command.`,
    '',
  ].join('\n');
}
