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
  /**
   * The summary in `kubectl webhook --help` and in the command's own help: starts with a verb, no full stop.
   */
  readonly summary: string;
  readonly load: () => Promise<{ readonly default: CommandClass }>;
}

/** Every command in the order of the help. Explicit imports, so that the bundler finds them. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'doctor',
    summary: 'Find out which webhooks fail, and why',
    load: () => import('../commands/doctor.ts'),
  },
  {
    name: 'list',
    alias: 'get',
    summary: 'List webhooks with backend, certificate and status',
    load: () => import('../commands/list.ts'),
  },
  {
    name: 'explain',
    summary: 'Explain an error and find its cause',
    load: () => import('../commands/explain.ts'),
  },
  {
    name: 'trace',
    summary: 'Trace a request through its webhooks',
    load: () => import('../commands/trace.ts'),
  },
  {
    name: 'what-if',
    summary: 'Predict what a loss or change would do',
    load: () => import('../commands/what-if.ts'),
  },
  {
    name: 'lint',
    summary: 'Check manifests before they are applied',
    load: () => import('../commands/lint.ts'),
  },
  {
    name: 'fix',
    summary: 'Fix what doctor found, step by step',
    load: () => import('../commands/fix.ts'),
  },
  {
    name: 'wait',
    summary: 'Wait until webhooks can be called',
    load: () => import('../commands/wait.ts'),
  },
  {
    name: 'cert-check',
    summary: 'Compare caBundle, Secret and served certificates',
    load: () => import('../commands/cert-check.ts'),
  },
  {
    name: 'failopen',
    summary: 'Admit requests while a webhook fails',
    load: () => import('../commands/failopen.ts'),
  },
  {
    name: 'failclosed',
    summary: 'Refuse requests while a webhook fails',
    load: () => import('../commands/failclosed.ts'),
  },
  {
    name: 'undo',
    summary: 'Undo a recorded change',
    load: () => import('../commands/undo.ts'),
  },
  {
    name: 'changes',
    summary: 'List recorded changes and their current state',
    load: () => import('../commands/changes.ts'),
  },
  {
    name: 'checks',
    summary: 'List the checks, or explain one',
    load: () => import('../commands/checks.ts'),
  },
  {
    name: 'rbac',
    summary: 'Print the minimal RBAC roles for commands',
    load: () => import('../commands/rbac.ts'),
  },
  {
    name: 'scan',
    summary: 'Find failed webhook calls in logs and events',
    load: () => import('../commands/scan.ts'),
  },
  {
    name: 'snapshot',
    summary: 'Save everything that doctor reads to a file',
    load: () => import('../commands/snapshot.ts'),
  },
  {
    name: 'alerts',
    summary: "Print Prometheus alert rules for the cluster's webhooks",
    load: () => import('../commands/alerts.ts'),
  },
  {
    name: 'soak',
    summary: 'Measure a webhook with dry runs during rollouts',
    load: () => import('../commands/soak.ts'),
  },
  {
    name: 'mcp',
    summary: 'Serve read-only tools to AI agents (MCP)',
    load: () => import('../commands/mcp.ts'),
  },
  {
    name: 'serve',
    summary: 'Serve metrics and the report from a Pod',
    load: () => import('../commands/serve.ts'),
  },
  {
    name: 'demo',
    summary: 'Run doctor on an embedded, broken cluster',
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'Set up shell completion',
    load: () => import('../commands/completion.ts'),
  },
];

/** The hidden command for kubectl's completion, called by `kubectl_complete-webhook`. */
export const loadCompletion = () => import('../commands/complete.ts');
