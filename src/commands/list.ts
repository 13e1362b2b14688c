import { Command, Flags } from '@oclif/core';
import { calloutArgument, filterFlags, filterOf, keepWatching, outputFlag, sortBy } from '../cli/flags.ts';
import { interruptedExitCode, interruption } from '../cli/interrupt.ts';
import { clustersFlags, contextsOf, kubeFlags, snapshotFlag, verbosity, wayTo } from '../cli/kube-flags.ts';
import { printList, printLists, printProblem } from '../cli/print.ts';
import { startProgress } from '../cli/progress.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import type { WebhookList } from '../diagnose/report.ts';
import { eachCluster } from '../workflows/each-cluster.ts';
import { listWebhooks } from '../workflows/list.ts';
import { unreachedList } from '../workflows/unreached.ts';
import { watchCluster } from '../workflows/watch-cluster.ts';
import { withCluster } from '../workflows/with-cluster.ts';

const time = 60_000;

/** The table of all webhooks and APIServices. */
export default class List extends Command {
  static override description =
    `Lists every webhook and APIService with what "kubectl get validatingwebhookconfigurations" does not show. It reads ten
lists of objects and connects to no backend.

READY counts the endpoints of the Service port. CERT-EXPIRES is when the last CA certificate in the caBundle expires;
"kubectl webhook cert-check" also reads the serving certificates. STATUS is the verdict of doctor and its cause, as far
as these lists show it; "not probed" means that they show no problem. With -o wide, ORDER is the position in which the
API server calls mutating webhooks. With --contexts or --all-contexts it lists the webhooks of several clusters, the
worst first.

Exit codes: 0 listed; 2 wrong usage, or no cluster; 3 listed, but something could not be read.`;
  static override examples = [
    'kubectl webhook list',
    'kubectl webhook list -n shop -o wide',
    'kubectl webhook list --sort-by status --no-headers',
    'kubectl webhook list --all-contexts',
  ];
  static override strict = false;
  static override args = calloutArgument('webhooks and APIServices to list (default: all)');
  static override flags = {
    output: outputFlag,
    'sort-by': sortBy,
    watch: keepWatching,
    'no-headers': Flags.boolean({ description: 'do not print headers' }),
    ...snapshotFlag,
    ...clustersFlags,
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
    const contexts = contextsOf(flags);
    if (contexts !== undefined) {
      const lists = await eachCluster({
        way: wayTo(flags, time),
        contexts,
        look: (way) => withCluster(way, look),
        unreached: unreachedList,
        onStage: progress.stage,
      }).finally(progress.stop);
      await printLists(lists, flags.output, how);
      process.exitCode = lists.some(({ notLookedAt }) => notLookedAt.length > 0) ? 3 : 0;
      return;
    }
    const list = await withCluster(wayTo(flags, time), look).finally(progress.stop);
    await printList(list, flags.output, how);
    process.exitCode = list.notLookedAt.length > 0 ? 3 : 0;
  }
}
