import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { calloutArgument, filterFlags, filterOf, outputFlag, sortBy, watchOption } from '../cli/flags.ts';
import { clusterOptions, clustersFlags, contextsOf, readingFlags } from '../cli/kube-flags.ts';
import { printList, printProblem, watchedList } from '../cli/print.ts';
import type { ClusterReader } from '../collect/cluster.ts';
import { eachCluster } from '../workflows/cluster/each-cluster.ts';
import { unreachedList } from '../workflows/cluster/unreached.ts';
import { watchCluster } from '../workflows/cluster/watch-cluster.ts';
import { onCluster } from '../workflows/cluster/with-cluster.ts';
import { listWebhooks } from '../workflows/list.ts';

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
    watch: { ...watchOption, description: 'after the list, print each row that changes' },
    'watch-only': Flags.boolean({
      description: 'print each row that changes, without the list',
      exclusive: ['from-snapshot'],
    }),
    'no-headers': Flags.boolean({ description: 'do not print headers' }),
    ...readingFlags,
    ...clustersFlags,
    ...filterFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(List);
    const run = startRun();
    const look = (reader: ClusterReader) =>
      listWebhooks(reader, { callouts: argv as string[], ...filterOf(flags), now: new Date() });
    const options = clusterOptions(flags, flags.timeout, run.interrupted);
    const how = { headers: !flags['no-headers'], sortBy: flags['sort-by'] };
    if (flags.watch || flags['watch-only']) {
      const print = watchedList(flags.output, how, flags['watch-only']);
      await run.result(
        watchCluster(options, {
          look,
          about: ({ items }) => items,
          show: async (list) => {
            run.stop();
            await print(list);
            return false;
          },
          problem: printProblem,
          signal: run.interrupted,
        }),
      );
      process.exitCode = run.exitCode(0);
      return;
    }
    const contexts = contextsOf(flags);
    const lists = await run.result(
      eachCluster({
        options,
        contexts,
        probes: false,
        look: (one) => onCluster(one, look),
        unreached: unreachedList,
        onStage: run.stage,
      }),
    );
    await printList((contexts === undefined && lists[0]) || lists, flags.output, how);
    process.exitCode = run.exitCode(lists.some(({ notLookedAt }) => notLookedAt.length > 0) ? 3 : 0);
  }
}
