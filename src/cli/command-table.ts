import type { Command, Config } from '@oclif/core';

/** What a module in `src/commands/` exports by default. */
export type CommandClass = Omit<typeof Command, 'prototype'> &
  (new (
    argv: string[],
    config: Config,
  ) => Command);

/** One command of `kubectl webhook`. Its module is only imported when the command runs or explains itself. */
export interface CommandEntry {
  readonly name: string;
  /** Another word for it. */
  readonly alias?: string;
  /** Its line of `kubectl webhook --help`, and the first one of its own: a verb first, no full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly default: CommandClass }>;
}

/** Every command, in the order in which the help lists them. It is explicit so that bundling sees each import. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'doctor',
    summary: 'Find out which webhooks fail, at which link of the chain, and why',
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
    summary: 'Say what a pasted error means, and its cause now',
    load: () => import('../commands/explain.ts'),
  },
  {
    name: 'trace',
    summary: 'Follow one request through the webhooks that it meets',
    load: () => import('../commands/trace.ts'),
  },
  {
    name: 'fix',
    summary: 'Mend what doctor found, step by step and with a way back',
    load: () => import('../commands/fix.ts'),
  },
  {
    name: 'wait',
    summary: 'Wait until the next call of webhooks would succeed',
    load: () => import('../commands/wait.ts'),
  },
  {
    name: 'cert-check',
    summary: 'Compare caBundle, Secret and the certificate each replica serves',
    load: () => import('../commands/cert-check.ts'),
  },
  {
    name: 'failopen',
    summary: 'Let requests pass while a webhook does not answer, with a way back',
    load: () => import('../commands/failopen.ts'),
  },
  {
    name: 'failclosed',
    summary: 'Refuse requests while a webhook does not answer, with a way back',
    load: () => import('../commands/failclosed.ts'),
  },
  {
    name: 'undo',
    summary: 'Take a change back, exactly',
    load: () => import('../commands/undo.ts'),
  },
  {
    name: 'changes',
    summary: 'List the changes that were made, and how they stand now',
    load: () => import('../commands/changes.ts'),
  },
  {
    name: 'checks',
    summary: 'List the checks, or tell what one looks for, why, and what to do',
    load: () => import('../commands/checks.ts'),
  },
  {
    name: 'rbac',
    summary: 'Print the least roles that commands need, as manifests to apply',
    load: () => import('../commands/rbac.ts'),
  },
  {
    name: 'scan',
    summary: 'Read logs, audit logs or events for calls of webhooks that failed',
    load: () => import('../commands/scan.ts'),
  },
  {
    name: 'snapshot',
    summary: 'Write all that doctor reads to one file',
    load: () => import('../commands/snapshot.ts'),
  },
  {
    name: 'alerts',
    summary: 'Print alert rules for exactly the webhooks of this cluster',
    load: () => import('../commands/alerts.ts'),
  },
  {
    name: 'soak',
    summary: 'Send steady dry runs during a rollout, and count what passes',
    load: () => import('../commands/soak.ts'),
  },
  {
    name: 'demo',
    summary: 'Show doctor at work on an embedded cluster with broken webhooks',
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'Complete commands, flags, webhooks and checks in the shell',
    load: () => import('../commands/completion.ts'),
  },
];

/** What answers kubectl's completion: no command of its own, it is asked by `kubectl_complete-webhook`. */
export const loadCompletion = () => import('../commands/complete.ts');
