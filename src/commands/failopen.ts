import { Command, Flags } from '@oclif/core';
import type { ChangeTools } from '../change/apply.ts';
import type { ChangeEntry } from '../change/change-report.ts';
import { changeExitCode } from '../cli/exit-code.ts';
import {
  acceptFlag,
  changeFlags,
  choice,
  configurationArgument,
  duration,
  reasonFlag,
  textFlag,
  watchFlag,
} from '../cli/flags.ts';
import { interruptedExitCode } from '../cli/interrupt.ts';
import { kubeFlags, requestLog, sameClusterFlags } from '../cli/kube-flags.ts';
import { printChanges } from '../cli/print.ts';
import { canPrompt, confirm, onInterruptedExit, openPrompts, waitUntil } from '../cli/prompts.ts';
import { InterruptedAfter } from '../workflows/change/change-run.ts';
import { failOpen } from '../workflows/change/failure-policy.ts';
import { changeReport } from '../workflows/change/list-changes.ts';
import { restore } from '../workflows/change/undo-change.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';

export default class FailOpen extends Command {
  static override description =
    `Sets failurePolicy to Ignore for all webhooks of a configuration, or for one of them. Requests are then no longer
refused while the webhook does not respond.

With --for, this command stays in the foreground, and restores the previous value after that time. If it exits earlier,
doctor reports the overdue webhook as an error. With --for and --detach, it exits at once, and someone must run undo.

Shows first what is admitted unchecked and who may revert the change, and asks for confirmation.

Names work as in doctor. For a prefix, the question shows the full name; --yes does not accept a prefix.

The previous value is recorded before the change, on this machine and in the object: "kubectl webhook undo" restores it
from any machine.

Exit codes: 0 changed (and restored, with --for); 1 refused, or not effective; 2 wrong usage, no cluster, or no
terminal for the question; 130 interrupted.`;
  static override examples = [
    'kubectl webhook failopen my-webhooks --for 30m',
    'kubectl webhook failopen my-webhooks/policy.example.com --dry-run=server',
    'kubectl webhook failopen validating/policy --yes --for 1h --detach',
  ];
  static override strict = false;
  static override args = configurationArgument;
  static override flags = {
    ...changeFlags,
    ...reasonFlag,
    ...watchFlag,
    for: duration({ description: 'stay in the foreground, and restore it after this time: 30m, 2h' }),
    detach: Flags.boolean({
      description: 'with --for: exit now; the deadline is recorded in the object, and someone must run undo',
      dependsOn: ['for'],
    }),
    'restore-with': choice(
      ['cronjob'],
      'with --for: create a CronJob in the cluster that restores it, and exit now',
      { dependsOn: ['for'] },
    ),
    'restore-image': textFlag(
      'IMAGE',
      'image of that CronJob, with kubectl as its entry point (default: registry.k8s.io/kubectl)',
      { dependsOn: ['restore-with'] },
    ),
    ...acceptFlag,
    ...kubeFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(FailOpen);
    const until = flags.for === undefined ? undefined : new Date(Date.now() + flags.for);
    const restorer =
      flags['restore-with'] === undefined
        ? undefined
        : { namespace: flags.namespace ?? 'kube-system', image: flags['restore-image'] };
    const options = {
      yes: flags.yes,
      accepted: flags['i-accept-unchecked-admission'] ? ['--i-accept-unchecked-admission'] : [],
      watchFor: flags['confirm-for'],
      dryRun: flags['dry-run'],
      namespace: restorer === undefined ? flags.namespace : undefined,
      reason: flags.reason,
      until,
      detached: flags.detach,
    };
    const waitsUntil = flags.detach || restorer !== undefined ? undefined : until;
    const prompts = openPrompts(flags.output !== undefined);
    if (waitsUntil !== undefined && flags.output === undefined && flags['dry-run'] === undefined)
      prompts.warn(
        'This command stays in the foreground until it has restored the failurePolicy (--detach: exit at once).',
      );
    try {
      await withChangeTools(flags, sameClusterFlags(flags), requestLog(flags.v), (tools) =>
        openAndRestore({ tools, prompts, output: flags.output, open: undefined }, waitsUntil, () =>
          failOpen({ tools, options, prompts }, argv as string[], restorer),
        ),
      );
    } finally {
      prompts.close();
    }
  }
}

interface Session {
  readonly tools: ChangeTools;
  readonly prompts: ReturnType<typeof openPrompts>;
  readonly output: Parameters<typeof printChanges>[1];
  /** The change that is in place and that this process has not restored yet. */
  open: ChangeEntry | undefined;
}

/** Applies the change. With `until` waits for that time, or for Ctrl-C, and then restores the previous value. */
async function openAndRestore(
  session: Session,
  until: Date | undefined,
  change: () => Promise<ChangeEntry>,
): Promise<void> {
  const { prompts } = session;
  // A second Ctrl-C ends the process at once.
  onInterruptedExit(() =>
    session.open?.undo === undefined
      ? []
      : [
          'failurePolicy stays Ignore: it is not restored automatically. To restore it:',
          `  ${session.open.undo}`,
        ],
  );
  const entry = await change().catch((error: unknown) => {
    if (error instanceof InterruptedAfter && until !== undefined) return error;
    throw error;
  });
  if (entry instanceof InterruptedAfter) {
    session.open = entry.entry;
    return endOpen(session, entry.entry, false);
  }
  if (until === undefined || entry.undo === undefined) return print(session, entry);
  const isPrinted = session.output === undefined;
  session.open = entry;
  if (isPrinted) await print(session, entry);
  prompts.resume();
  const isOver = await waitUntil(until, 'restoring failurePolicy Fail', prompts);
  return isOver ? print(session, await restored(session, entry)) : endOpen(session, entry, isPrinted);
}

async function print(session: Session, entry: ChangeEntry): Promise<void> {
  session.prompts.close();
  const report = changeReport(session.tools, [entry]);
  await printChanges(report, session.output);
  process.exitCode ??= changeExitCode(report);
}

async function restored(session: Session, entry: ChangeEntry): Promise<ChangeEntry> {
  const outcome = await restore(session.tools, entry.id, session.prompts);
  session.open = undefined;
  return outcome ?? entry;
}

/** After Ctrl-C: restores the previous value if the user agrees. */
async function endOpen(session: Session, entry: ChangeEntry, isPrinted: boolean): Promise<void> {
  const { prompts } = session;
  prompts.close();
  if (canPrompt() && (await confirm('Restore failurePolicy Fail now?').catch(() => false))) {
    prompts.resume();
    return print(session, await restored(session, entry));
  }
  process.exitCode = interruptedExitCode;
  // onInterruptedExit prints the undo command.
  if (isPrinted) return;
  session.open = undefined;
  const why = `interrupted: failurePolicy stays Ignore until someone runs \`${entry.undo}\``;
  const { until: _, ...open } = entry;
  return print(session, { ...open, state: 'applied', why });
}
