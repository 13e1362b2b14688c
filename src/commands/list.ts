import { Command, Flags } from '@oclif/core';
import { calloutArgument, filterFlags, filterOf, keepWatching, outputFlag, sortBy } from '../cli/flags.ts';
import { interruptedExitCode, interruption } from '../cli/interrupt.ts';
import { kubeFlags, snapshotFlag, verbosity, wayTo } from '../cli/kube-flags.ts';
import { printList, printProblem } from '../cli/print.ts';
import { startProgress } from '../cli/progress.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import type { WebhookList } from '../diagnose/report.ts';
import { listWebhooks } from '../workflows/list.ts';
import { watchCluster } from '../workflows/watch-cluster.ts';
import { withCluster } from '../workflows/with-cluster.ts';

const time = 60_000;

/** The table of all webhooks and APIServices. */
export default class List extends Command {
  static override description =
    `What "kubectl get validatingwebhookconfigurations" leaves out, of every webhook and APIService, from objects alone: ten
lists, no connection to a backend.

READY counts endpoints of the Service's port. CERT-EXPIRES is when the last CA certificate of the caBundle expires: the
serving certificate can expire earlier, which "kubectl webhook cert-check" reads. STATUS is the verdict of doctor with
its cause, as far as these lists decide it; "not probed" means that nothing in them is wrong. With -o wide, ORDER is the
position in which the API server calls mutating webhooks.

Exit codes: 0 listed; 2 wrong usage, or no cluster to talk to; 3 listed, but something could not be read.`;
  static override examples = [
    'kubectl webhook list',
    'kubectl webhook list -n shop -o wide',
    'kubectl webhook list --sort-by status --no-headers',
  ];
  static override strict = false;
  static override args = calloutArgument('what to list; everything unless named');
  static override flags = {
    output: outputFlag,
    'sort-by': sortBy,
    watch: keepWatching,
    'no-headers': Flags.boolean({ description: 'no line of headers' }),
    ...snapshotFlag,
    ...kubeFlags,
    ...filterFlags,
    v: verbosity,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(List);
    const progress = startProgress();
    const look = (reader: ClusterReader) =>
      listWebhooks(reader, { callouts: argv as string[], ...filterOf(flags), now: new Date() });
    const how = { headers: !flags['no-headers'], sortBy: flags['sort-by'] };
    if (flags.watch) {
      const interrupt = interruption();
      let before: WebhookList | undefined;
      await watchCluster(wayTo(flags, time), {
        look,
        about: ({ items }) => items,
        show: async (list) => {
          progress.stop();
          await printList(list, flags.output, how, before);
          before = list;
          return false;
        },
        problem: printProblem,
        signal: interrupt.listen(),
      }).finally(progress.stop);
      process.exitCode = interruptedExitCode;
      return;
    }
    const list = await withCluster(wayTo(flags, time), look).finally(progress.stop);
    await printList(list, flags.output, how);
    process.exitCode = list.notLookedAt.length > 0 ? 3 : 0;
  }
}
