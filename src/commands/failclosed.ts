import { Command, Flags } from '@oclif/core';
import { changeFlags, configurationArgument, reasonFlag, watchFlag } from '../cli/flags.ts';
import { kubeFlags, requestLog, sameClusterFlags } from '../cli/kube-flags.ts';
import { openPrompts, reportChange } from '../cli/prompts.ts';
import { failClosed } from '../workflows/change/failure-policy.ts';
import { changeReport } from '../workflows/change/list-changes.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';

export default class FailClosed extends Command {
  static override description =
    `Sets failurePolicy to Fail for all webhooks of a configuration, or for one of them. It is refused while their
calls fail, because the API server would then refuse all matching requests. To restore exactly what failopen changed, use
"kubectl webhook undo".

Exit codes: 0 changed; 1 refused, or not effective; 2 wrong usage, no cluster, or no terminal for the question;
130 interrupted.`;
  static override examples = [
    'kubectl webhook failclosed my-webhooks',
    'kubectl webhook failclosed my-webhooks/policy.example.com --dry-run=server',
  ];
  static override strict = false;
  static override args = configurationArgument;
  static override flags = {
    ...changeFlags,
    ...reasonFlag,
    ...watchFlag,
    'i-accept-refused-requests': Flags.boolean({ description: 'required if the calls fail now' }),
    ...kubeFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(FailClosed);
    const options = {
      yes: flags.yes,
      accepted: flags['i-accept-refused-requests'] ? ['--i-accept-refused-requests'] : [],
      watchFor: flags['confirm-for'],
      reason: flags.reason,
      dryRun: flags['dry-run'],
      namespace: flags.namespace,
    };
    await reportChange(openPrompts(flags.output !== undefined), flags.output, (prompts) =>
      withChangeTools(flags, sameClusterFlags(flags), requestLog(flags.v), async (tools) =>
        changeReport(tools, [await failClosed({ tools, options, prompts }, argv as string[])]),
      ),
    );
  }
}
