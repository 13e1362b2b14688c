import { Args, Command, Flags } from '@oclif/core';
import { reportChange } from '../cli/conversation.ts';
import { openFixConversation } from '../cli/fix-conversation.ts';
import { changeFlags, duration } from '../cli/flags.ts';
import { kubeFlags, requestLog, sameClusterFlags, verbosity } from '../cli/kube-flags.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';
import { allCheckIds } from '../workflows/check-ids.ts';
import { fix, lookWith } from '../workflows/fix/fix.ts';

/** From what doctor found to its cure. */
export default class Fix extends Command {
  static override description =
    `Looks as doctor does, and offers the remedies that fit a finding, the safest first. Explains the chosen one, shows
the diff, asks, changes the cluster, waits until doctor agrees that it helped, and prints how to take it back.

FINDING is a finding's id, or a check's id when only one finding has it; WEBHOOK is what doctor takes. Without a
terminal name both: FINDING --remedy ID --yes.

A remedy that would widen the damage is refused, with the reason. Where an object is declared elsewhere, by a chart or
a repository, what cannot last here is printed as a patch for that place.

Exit codes: 0 mended, or planned with --dry-run; 1 refused, or it did not help; 2 wrong usage, no cluster, nothing to
fix, or nobody to ask; 130 interrupted.`;
  static override examples = [
    'kubectl webhook fix',
    'kubectl webhook fix stale-ca-bundle',
    'kubectl webhook fix my-webhooks --dry-run=server',
    'kubectl webhook fix service-port-missing --remedy fix-service-port --yes',
  ];
  static override args = {
    finding: Args.string({
      name: 'FINDING',
      description: 'a finding, a check or a webhook; everything unless named',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    ...changeFlags,
    remedy: Flags.string({ helpValue: 'ID', description: 'the remedy to use' }),
    for: duration({ description: 'note in the object when it is to be taken back: 30m, 2h' }),
    probe: Flags.option({
      options: ['none', 'connect', 'review'] as const,
      default: 'review',
      helpValue: 'none|connect|review',
      description: 'how far to look, as doctor',
    })(),
    wait: duration({
      default: 90_000,
      defaultHelp: async () => '90s',
      description: 'how long to wait until doctor agrees that it helped',
    }),
    'i-accept-unchecked-admission': Flags.boolean({
      description: 'needed where a policy engine would be passed by',
    }),
    ...kubeFlags,
    namespace: Flags.string({
      char: 'n',
      helpValue: 'NAME',
      description: 'a namespace in need, for exclude-namespace',
    }),
    v: verbosity,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Fix);
    const observe = requestLog(flags.v);
    const until = flags.for === undefined ? undefined : new Date(Date.now() + flags.for);
    const nothing = 'doctor found nothing: there is nothing to fix.';
    const talk = openFixConversation(flags.output !== undefined);
    await reportChange(
      talk,
      flags.output,
      (conversation) =>
        withChangeTools(flags, sameClusterFlags(flags), observe, (tools) =>
          lookWith({ flags, observe, probe: flags.probe }, async (look) =>
            fix(
              tools,
              look,
              {
                target: args.finding,
                remedy: flags.remedy,
                namespace: flags.namespace,
                verifyFor: flags.wait,
                way: {
                  yes: flags.yes,
                  accepted: flags['i-accept-unchecked-admission'] ? ['--i-accept-unchecked-admission'] : [],
                  watchFor: 3000,
                  dryRun: flags['dry-run'],
                  until,
                },
              },
              conversation,
              await allCheckIds(),
            ),
          ),
        ),
      nothing,
    );
  }
}
