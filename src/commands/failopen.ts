import { Command, Flags } from '@oclif/core';
import type { ChangeEntry } from '../change/change-report.ts';
import { ask, canAsk, onInterruptedExit, openConversation, waitUntil } from '../cli/conversation.ts';
import { changeExitCode } from '../cli/exit-code.ts';
import { changeFlags, configurationArgument, duration, reasonFlag, watchFlag } from '../cli/flags.ts';
import { interruptedExitCode } from '../cli/interrupt.ts';
import { kubeFlags, requestLog, sameClusterFlags, verbosity } from '../cli/kube-flags.ts';
import { printChanges } from '../cli/print.ts';
import { InterruptedAfter } from '../workflows/change/conversation.ts';
import { failOpen } from '../workflows/change/failure-policy.ts';
import { changeReport } from '../workflows/change/list-changes.ts';
import { restore } from '../workflows/change/undo-change.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';

/** Lets requests pass while a webhook does not answer, and remembers the way back. */
export default class FailOpen extends Command {
  static override description =
    `Sets failurePolicy to Ignore for all webhooks of a configuration, or for one of them: requests are no longer refused
while the webhook does not respond. Shows first what is admitted unchecked and who may revert the change, and asks.

Names work as in doctor. A prefix is shown in the question, and is not accepted with --yes.

The previous value is recorded before the change, on this machine and in the object: "kubectl webhook undo" restores it
from any machine. With --for, this command restores it in time while it runs; doctor reports an overdue one as an error.

Exit codes: 0 changed (and restored, with --for); 1 refused, or not effective; 2 wrong usage, no cluster, or no terminal
for the question; 130 interrupted.`;
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
    for: duration({ description: 'restore it after this time: 30m, 2h' }),
    detach: Flags.boolean({
      description: 'with --for: exit now; the deadline is recorded in the object, and someone must run undo',
      dependsOn: ['for'],
    }),
    'restore-with': Flags.option({
      options: ['cronjob'] as const,
      description: 'with --for: create a CronJob in the cluster that restores it, and exit now',
      dependsOn: ['for'],
    })(),
    'restore-image': Flags.string({
      helpValue: 'IMAGE',
      description:
        'image of that CronJob, with kubectl as its entry point (default: registry.k8s.io/kubectl)',
      dependsOn: ['restore-with'],
    }),
    'i-accept-unchecked-admission': Flags.boolean({
      description: 'required if the webhook belongs to a policy engine',
    }),
    ...kubeFlags,
    v: verbosity,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(FailOpen);
    const conversation = openConversation(flags.output !== undefined);
    try {
      await withChangeTools(flags, sameClusterFlags(flags), requestLog(flags.v), async (tools) => {
        /** A second Ctrl-C ends the run wherever it is: what it leaves open is said on the way out. */
        let open: ChangeEntry | undefined;
        onInterruptedExit(() =>
          open?.undo === undefined
            ? ''
            : `The webhook stays open: it is not restored automatically. Restore it with: ${open.undo}`,
        );
        const print = async (entry: ChangeEntry): Promise<void> => {
          conversation.close();
          open = undefined;
          const report = changeReport(tools, [entry]);
          await printChanges(report, flags.output);
          process.exitCode ??= changeExitCode(report);
        };
        const takeBack = async (entry: ChangeEntry): Promise<ChangeEntry> =>
          (await restore(tools, entry.id, conversation)) ?? entry;
        /** Ctrl-C, and an answer: taken back, unless it is no. */
        const endOpen = async (entry: ChangeEntry, isPrinted: boolean): Promise<void> => {
          conversation.close();
          if (canAsk() && (await ask('Restore failurePolicy Fail now?').catch(() => false))) {
            conversation.resume();
            return print(await takeBack(entry));
          }
          process.exitCode = interruptedExitCode;
          // The rest is said on the way out.
          if (isPrinted) return;
          const why = `interrupted: the webhook stays open until someone runs \`${entry.undo}\``;
          return print({ ...entry, state: 'applied', why });
        };
        const until = flags.for === undefined ? undefined : new Date(Date.now() + flags.for);
        const restorer =
          flags['restore-with'] === undefined
            ? undefined
            : { namespace: flags.namespace ?? 'kube-system', image: flags['restore-image'] };
        const stays = until !== undefined && !flags.detach && restorer === undefined;
        const way = {
          yes: flags.yes,
          accepted: flags['i-accept-unchecked-admission'] ? ['--i-accept-unchecked-admission'] : [],
          watchFor: flags['confirm-for'],
          dryRun: flags['dry-run'],
          namespace: restorer === undefined ? flags.namespace : undefined,
          reason: flags.reason,
          until,
          detached: flags.detach,
        };
        const entry = await failOpen(tools, argv as string[], way, conversation, restorer).catch(
          (error: unknown) => {
            if (error instanceof InterruptedAfter && stays) return error;
            throw error;
          },
        );
        if (entry instanceof InterruptedAfter) {
          open = entry.entry;
          return endOpen(open, false);
        }
        if (!stays || entry.undo === undefined) return print(entry);
        const isPrinted = flags.output === undefined;
        if (isPrinted) await print(entry);
        open = entry;
        conversation.resume();
        const over = await waitUntil(until, 'restoring failurePolicy Fail', conversation);
        return over ? print(await takeBack(entry)) : endOpen(entry, isPrinted);
      });
    } finally {
      conversation.close();
    }
  }
}
