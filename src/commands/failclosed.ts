import { Args, Command, Flags } from '@oclif/core';
import { changeExitCode } from '../cli/change-exit-code.ts';
import { changeFlags, watchFlag } from '../cli/change-flags.ts';
import { openConversation } from '../cli/conversation.ts';
import { kubeFlags, verbosity } from '../cli/kube-flags.ts';
import { printChanges } from '../cli/print-changes.ts';
import { requestLog } from '../cli/request-log.ts';
import { sameCluster } from '../cli/same-cluster.ts';
import { failClosed } from '../workflows/change/failure-policy.ts';
import { changeReport } from '../workflows/change/list-changes.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';

/** Stops requests while a webhook does not answer, and remembers the way back. */
export default class FailClosed extends Command {
  static override description =
    `Sets failurePolicy to Fail for all webhooks of a configuration, or for the named ones. Refused while their calls
fail, because everything that they cover would be refused at once. What failopen changed is taken back exactly by
"kubectl webhook undo".

Exit codes: 0 changed; 1 refused, or it did not turn out as it should; 2 wrong usage, no cluster, or nobody to ask;
130 interrupted.`;
  static override examples = [
    'kubectl webhook failclosed my-webhooks',
    'kubectl webhook failclosed my-webhooks/policy.example.com --dry-run=server',
  ];
  static override strict = false;
  static override args = {
    configuration: Args.string({
      name: 'CONFIGURATION',
      description: 'CONFIGURATION, CONFIGURATION/WEBHOOK, validating/… or mutating/…',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...changeFlags,
    ...watchFlag,
    'i-accept-refused-requests': Flags.boolean({ description: 'needed where the calls fail now' }),
    ...kubeFlags,
    v: verbosity,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(FailClosed);
    const conversation = openConversation(flags.output !== undefined);
    try {
      const report = await withChangeTools(flags, sameCluster(flags), requestLog(flags.v), async (tools) => {
        const way = {
          yes: flags.yes,
          accepted: flags['i-accept-refused-requests'] ? ['--i-accept-refused-requests'] : [],
          watchFor: flags.watch,
          ...(flags['dry-run'] === undefined ? {} : { dryRun: flags['dry-run'] }),
        };
        return changeReport(tools, [await failClosed(tools, argv as string[], way, conversation)]);
      });
      conversation.close();
      await printChanges(report, flags.output);
      process.exitCode = changeExitCode(report);
    } finally {
      conversation.close();
    }
  }
}
