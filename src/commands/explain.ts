import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { argument, documentOutputFlag, fileFlag } from '../cli/flags.ts';
import { clusterOptions, readingFlags, sameClusterFlags } from '../cli/kube-flags.ts';
import { printDocument } from '../cli/print.ts';
import { explanationDocument } from '../render/data-formats/document.ts';
import { explain } from '../workflows/explain.ts';

export default class Explain extends Command {
  static override description =
    `Takes one or more error messages: from kubectl, an Event, or a log of kube-apiserver, an operator, a Job or the webhook
itself. Prints what each means, where the call fails, the possible causes, and the commands that decide between them.
If a cluster is configured, it also finds the webhook and its current cause.

For whole logs, use "kubectl webhook scan".

Exit codes: 0 recognized; 2 wrong usage, or a file that cannot be read; 3 no known webhook error in this text.`;
  static override examples = [
    `kubectl webhook explain 'x509: certificate signed by unknown authority'`,
    '$ kubectl apply -f pod.yaml 2>&1 | kubectl webhook explain',
    'kubectl webhook explain -f error.txt --no-cluster -o json',
  ];
  static override strict = false;
  static override args = {
    text: argument('TEXT', 'the error; - for standard input'),
  };
  static override flags = {
    filename: fileFlag('file that holds the text'),
    output: documentOutputFlag,
    'no-cluster': Flags.boolean({ description: 'do not examine the cluster' }),
    ...readingFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Explain);
    const run = startRun();
    const report = await run.result(
      explain({
        texts: argv.map(String),
        file: flags.filename,
        now: new Date(),
        onStage: run.stage,
        sameCluster: sameClusterFlags(flags),
        cluster: flags['no-cluster'] ? undefined : clusterOptions(flags, flags.timeout, run.interrupted),
      }),
    );
    await printDocument(explanationDocument(report), flags.output, {
      text: async (look) =>
        (await import('../render/explain/render-explanation.ts')).renderExplanation(report, look),
    });
    process.exitCode = run.exitCode(report.matches.length > 0 ? 0 : 3);
  }
}
