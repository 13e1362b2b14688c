import { Command } from '@oclif/core';
import { argument, changeFlags } from '../cli/flags.ts';
import { kubeFlags, requestLog, sameClusterFlags } from '../cli/kube-flags.ts';
import { openPrompts, reportChange } from '../cli/prompts.ts';
import { changeReport } from '../workflows/change/list-changes.ts';
import { undoChange } from '../workflows/change/undo-change.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';

export default class Undo extends Command {
  static override description =
    `Restores the previous values of a recorded change: the named change, the newest change of the named configuration, or
the newest change of this cluster. It reads the journal on this machine, else the record in the object, so it works from
any machine. Values that someone changed since are not restored, unless you confirm it.

Exit codes: 0 undone, or nothing to undo; 1 refused; 2 wrong usage, no cluster, or no terminal for the question; 3
nothing to undo, but some objects that may hold records could not be read; 130 interrupted.`;
  static override examples = [
    'kubectl webhook undo',
    'kubectl webhook undo 20261122-063012-a1b2c3',
    'kubectl webhook undo my-webhooks --yes',
  ];
  static override args = {
    change: argument('CHANGE', 'id of a change, or name of the changed object (default: the newest change)'),
  };
  static override flags = { ...changeFlags, ...kubeFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Undo);
    const nothing = 'No recorded change of this cluster is left to undo.';
    await reportChange(
      openPrompts(flags.output !== undefined),
      flags.output,
      (prompts) =>
        withChangeTools(flags, sameClusterFlags(flags), requestLog(flags.v), async (tools) => {
          const options = { yes: flags.yes, dryRun: flags['dry-run'] };
          const { entry, notLookedAt } = await undoChange({ tools, options, prompts }, args.change);
          return entry === undefined ? changeReport(tools, [], notLookedAt) : changeReport(tools, [entry]);
        }),
      nothing,
    );
  }
}
