import type { Command, Config } from '@oclif/core';

/** The default export of a module in `src/commands/`. */
export type CommandClass = Omit<typeof Command, 'prototype'> &
  (new (
    argv: string[],
    config: Config,
  ) => Command);

/** A command of `kubectl webhook`. Its module is only imported to run it or to print its help. */
export interface CommandEntry {
  readonly name: string;
  readonly alias?: string;
  /** The summary in `kubectl webhook --help` and in the command's help: starts with a verb, no full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly default: CommandClass }>;
}

const command = (
  name: string,
  summary: string,
  load: CommandEntry['load'],
  alias?: string,
): CommandEntry => ({
  name,
  summary,
  load,
  ...(alias === undefined ? {} : { alias }),
});

/** Every command in the order of the help. Explicit imports, so that the bundler finds them. */
export const commandTable: readonly CommandEntry[] = [
  command('doctor', 'Find out which webhooks fail, and why', () => import('../commands/doctor.ts')),
  command(
    'list',
    'List webhooks with backend, certificate and status',
    () => import('../commands/list.ts'),
    'get',
  ),
  command('explain', 'Explain an error and find its cause', () => import('../commands/explain.ts')),
  command('trace', 'Trace a request through its webhooks', () => import('../commands/trace.ts')),
  command('what-if', 'Predict what a loss or change would do', () => import('../commands/what-if.ts')),
  command('lint', 'Check manifests before they are applied', () => import('../commands/lint.ts')),
  command('fix', 'Fix what doctor found, step by step', () => import('../commands/fix.ts')),
  command('wait', 'Wait until webhooks can be called', () => import('../commands/wait.ts')),
  command(
    'cert-check',
    'Compare caBundle, Secret and served certificates',
    () => import('../commands/cert-check.ts'),
  ),
  command('failopen', 'Admit requests while a webhook fails', () => import('../commands/failopen.ts')),
  command('failclosed', 'Refuse requests while a webhook fails', () => import('../commands/failclosed.ts')),
  command('undo', 'Undo a recorded change', () => import('../commands/undo.ts')),
  command('changes', 'List recorded changes and their current state', () => import('../commands/changes.ts')),
  command('checks', 'List the checks, or explain one', () => import('../commands/checks.ts')),
  command('rbac', 'Print the minimal RBAC roles for commands', () => import('../commands/rbac.ts')),
  command('scan', 'Find failed webhook calls in logs and events', () => import('../commands/scan.ts')),
  command('snapshot', 'Save everything that doctor reads to a file', () => import('../commands/snapshot.ts')),
  command(
    'alerts',
    "Print Prometheus alert rules for the cluster's webhooks",
    () => import('../commands/alerts.ts'),
  ),
  command('soak', 'Measure a webhook with dry runs during rollouts', () => import('../commands/soak.ts')),
  command('mcp', 'Serve read-only tools to AI agents (MCP)', () => import('../commands/mcp.ts')),
  command('serve', 'Serve metrics and the report from a Pod', () => import('../commands/serve.ts')),
  command('demo', 'Run doctor on an embedded, broken cluster', () => import('../commands/demo.ts')),
  command('completion', 'Set up shell completion', () => import('../commands/completion.ts')),
];

/** The hidden command for kubectl's completion, called by `kubectl_complete-webhook`. */
export const loadCompletion = () => import('../commands/complete.ts');
