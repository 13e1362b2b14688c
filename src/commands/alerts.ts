import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { calloutArgument, choiceOr } from '../cli/flags.ts';
import { clusterOptions, readingFlags } from '../cli/kube-flags.ts';
import { printAlerts } from '../cli/print.ts';
import { alerts, prometheusRule } from '../workflows/alerts.ts';
import { onCluster } from '../workflows/cluster/with-cluster.ts';

/** Parses `key=value`, like kubectl's labels. */
const label = Flags.custom<readonly [string, string]>({
  helpValue: 'KEY=VALUE',
  parse: async (text) => {
    const at = text.indexOf('=');
    if (at <= 0) throw new Error(`invalid label "${text}": must be KEY=VALUE`);
    return [text.slice(0, at), text.slice(at + 1)];
  },
});

export default class Alerts extends Command {
  static override description =
    `Prints Prometheus alert rules, one set for each webhook and APIService of the cluster. They use the metrics of the
API server. They alert on failed or slow calls, unusable responses, requests that are admitted unchecked,
matchConditions that fail, failed conversions and unavailable APIs. A call is slow if it takes more than half of
timeoutSeconds. failurePolicy decides the severity. Print the rules again when webhooks are added or changed.

The metrics need Kubernetes 1.28 or later. The API server counts by webhook name: two configurations with the same
webhook name share one rule, and its text says so.

Exit codes: 0 printed; 2 wrong usage, or no cluster; 3 printed, but some webhooks could not be listed.`;
  static override examples = [
    'kubectl webhook alerts',
    'kubectl webhook alerts --label release=prometheus | kubectl apply -f -',
    'kubectl webhook alerts my-webhooks -o plain > rules.yaml',
  ];
  static override strict = false;
  static override args = calloutArgument('webhooks to print rules for (default: all)');
  static override flags = {
    output: choiceOr(
      'yaml',
      ['yaml', 'plain'],
      'yaml: a PrometheusRule for the Prometheus operator; plain: a file of rule groups',
      { char: 'o', helpValue: 'yaml|plain' },
    ),
    name: Flags.string({
      helpValue: 'NAME',
      default: 'webhooks',
      description: 'metadata.name of the PrometheusRule',
    }),
    label: label({ multiple: true, multipleNonGreedy: true, description: 'label of the PrometheusRule' }),
    ...readingFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Alerts);
    const run = startRun();
    const options = clusterOptions(flags, flags.timeout, run.interrupted);
    const found = await run.result(onCluster(options, (reader) => alerts(reader, argv as string[])));
    const labels = Object.fromEntries(flags.label ?? []);
    const metadata = {
      name: flags.name,
      ...(flags.namespace === undefined ? {} : { namespace: flags.namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    };
    const document =
      flags.output === 'plain' ? { groups: found.groups } : prometheusRule(found.groups, metadata);
    await printAlerts(document, found);
    process.exitCode = run.exitCode(found.notLookedAt.length > 0 ? 3 : 0);
  }
}
