import { Args, Command } from '@oclif/core';
import { openConversation, reportChange } from '../cli/conversation.ts';
import { changeFlags } from '../cli/flags.ts';
import { kubeFlags, requestLog, sameClusterFlags, verbosity } from '../cli/kube-flags.ts';
import { changeReport } from '../workflows/change/list-changes.ts';
import { undoChange } from '../workflows/change/undo-change.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';

/** Takes a recorded change back exactly. */
export default class Undo extends Command {
  static override description =
    `Restores the values from before a change that this program made: the named change, the newest one of the named
configuration, or the newest one of this cluster. What it was is known from this machine's journal, or else from the
record that the change left in the object, so that it works from any machine. What somebody changed since is left
alone, unless you say otherwise when asked.

Exit codes: 0 taken back, or nothing to take back; 1 refused; 2 wrong usage, no cluster, or nobody to ask; 3 nothing to
take back, but some objects that may hold records could not be looked at; 130 interrupted.`;
  static override examples = [
    'kubectl webhook undo',
    'kubectl webhook undo 20261122-063012-a1b2c3',
    'kubectl webhook undo my-webhooks --yes',
  ];
  static override args = {
    change: Args.string({
      name: 'CHANGE',
      description: 'id of a change, or name of what was changed; the newest change unless named',
      ignoreStdin: true,
    }),
  };
  static override flags = { ...changeFlags, ...kubeFlags, v: verbosity };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Undo);
    const nothing = 'No change of this cluster is left to take back.';
    const talk = openConversation(flags.output !== undefined);
    await reportChange(
      talk,
      flags.output,
      (conversation) =>
        withChangeTools(flags, sameClusterFlags(flags), requestLog(flags.v), async (tools) => {
          const way = { yes: flags.yes, dryRun: flags['dry-run'] };
          const { entry, notLookedAt } = await undoChange(tools, args.change, way, conversation);
          return entry === undefined ? changeReport(tools, [], notLookedAt) : changeReport(tools, [entry]);
        }),
      nothing,
    );
  }
}
