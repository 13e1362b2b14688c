import { Command } from '@oclif/core';
import { changeFlags } from '../cli/flags.ts';
import { kubeFlags, requestLog, sameClusterFlags } from '../cli/kube-flags.ts';
import { printChanges } from '../cli/print.ts';
import { startProgress } from '../cli/progress.ts';
import { listChanges } from '../workflows/change/list-changes.ts';
import { withChangeTools } from '../workflows/change/with-change-tools.ts';

export default class Changes extends Command {
  static override description =
    `Lists every recorded change to this cluster, from the journal on this machine and from the records in the objects,
which also show changes made from other machines. Shows for each whether it is still in place, was undone or was changed
since, and the command that undoes it. Changes nothing.

Exit codes: 0 listed; 2 wrong usage, or no cluster; 3 some objects that may hold records could not be read.`;
  static override examples = ['kubectl webhook changes', 'kubectl webhook changes -o json'];
  static override flags = { output: changeFlags.output, ...kubeFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Changes);
    const progress = startProgress();
    const report = await withChangeTools(
      flags,
      sameClusterFlags(flags),
      requestLog(flags.v),
      listChanges,
    ).finally(progress.stop);
    await printChanges(report, flags.output);
    process.exitCode = report.notLookedAt === undefined ? 0 : 3;
  }
}
