import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { worstExitCode } from '../cli/exit-code.ts';
import { output, probeLevel, repeated, textFlag } from '../cli/flags.ts';
import {
  clusterOptions,
  clustersFlags,
  contextsOf,
  readingFlags,
  sameClusterFlags,
} from '../cli/kube-flags.ts';
import { printDocument, writePieces } from '../cli/print.ts';
import { terminalLook } from '../cli/terminal.ts';
import { reportDocument } from '../render/data-formats/document.ts';
import { eachCluster } from '../workflows/cluster/each-cluster.ts';
import { unreachedWhatIf } from '../workflows/cluster/unreached.ts';

export default class WhatIf extends Command {
  static override description =
    `Reads the cluster as doctor does, assumes a change, runs the checks again, and reports the difference. It shows
which requests would be blocked or admitted unchecked, and which Pods could not start. It also shows the order in which
the others would start, and the deadlocks that need a manual change. Nothing is changed.

--down each ranks all backends by what their loss would stop. Combine --set or --delete with --down or --cold-start to
try a change before an outage. With --contexts or --all-contexts it predicts for several clusters.

Exit codes: 0 nothing gets worse; 1 something does; 2 wrong usage, or no cluster; 3 unknown.`;
  static override examples = [
    'kubectl webhook what-if --down my-webhooks',
    'kubectl webhook what-if --down deployment/web -n shop',
    'kubectl webhook what-if --cold-start',
    'kubectl webhook what-if --set my-webhooks.failurePolicy=Fail --down node/n1',
    'kubectl webhook what-if --down each -o html',
    "kubectl webhook what-if --down each --contexts 'prod-*'",
  ];
  static override flags = {
    down: repeated({
      helpValue: 'BACKEND',
      description: 'WEBHOOK, deployment/NAME (in the namespace of -n), node/NAME, namespace/NAME, or each',
    }),
    'cold-start': Flags.boolean({ description: 'all Pods are lost, and the nodes restart empty' }),
    upgrade: textFlag('VERSION', 'the API server runs this version: 1.37'),
    set: repeated({
      helpValue: 'WEBHOOK.FIELD=VALUE',
      description:
        'FIELD: failurePolicy, timeoutSeconds, namespaceSelector, objectSelector, or caBundle (a PEM file)',
    }),
    delete: repeated({ helpValue: 'WEBHOOK', description: 'the webhook is deleted' }),
    deep: Flags.boolean({ description: 'read workloads and Pods of every backend' }),
    probe: probeLevel(),
    output: output(
      ['json', 'yaml', 'markdown', 'html'],
      'json and yaml: one document; markdown and html: reports to share',
    ),
    ...readingFlags,
    ...clustersFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WhatIf);
    const run = startRun();
    const { whatIfExitCode, whatIfFor } = await import('../workflows/what-if/what-if.ts');
    const contexts = contextsOf(flags);
    if (contexts !== undefined && flags.output === 'html')
      this.error('-o html is about one cluster; use -o markdown with several', { exit: 2 });
    const reports = await run.result(
      eachCluster({
        options: clusterOptions(flags, flags.timeout, run.interrupted),
        contexts,
        probes: flags.probe !== 'none',
        look: (one, onStage) =>
          whatIfFor(
            {
              down: flags.down ?? [],
              set: flags.set ?? [],
              delete: flags.delete ?? [],
              upgrade: flags.upgrade,
              coldStart: flags['cold-start'],
              deep: flags.deep,
              probe: flags.probe,
              now: new Date(),
              sameCluster: sameClusterFlags(flags, one.flags.context),
              onStage,
            },
            one,
          ),
        unreached: unreachedWhatIf,
        onStage: run.stage,
      }),
    );
    const { renderWhatIf, renderWhatIfMarkdown, renderWhatIfs } = await import(
      '../render/what-if/render-what-if.ts'
    );
    const [only] = reports;
    if (contexts === undefined && only !== undefined)
      await printDocument(reportDocument(only), flags.output, {
        text: async (look) => renderWhatIf(only, look),
        markdown: async () => renderWhatIfMarkdown(only),
        html: async () => (await import('../render/html/what-if-html.ts')).renderWhatIfHtml(only),
      });
    else await writePieces(flags.output, await renderWhatIfs(reports, flags.output, terminalLook()));
    process.exitCode = run.exitCode(worstExitCode(reports.map(whatIfExitCode)));
  }
}
