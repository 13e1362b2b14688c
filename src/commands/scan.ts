import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { documentOutputFlag, requiredArgument } from '../cli/flags.ts';
import { clusterOptions, kubeFlags } from '../cli/kube-flags.ts';
import { printDocument } from '../cli/print.ts';
import { reportDocument } from '../render/data-formats/document.ts';
import type { ScanReport } from '../scan/scan-report.ts';
import { scan } from '../workflows/scan/scan.ts';

/** Time limit for examining the cluster, in milliseconds. */
const clusterTime = 60_000;

/** An empty input usually means that the command before the pipe failed. */
const isComplete = ({ source }: ScanReport): boolean => source.bytes > 0 && source.brokenOff === undefined;

export default class Scan extends Command {
  static override description =
    `Reads a log of the API server (text or JSON), an audit log, the log of a controller, or events ("kubectl get
events -A -o json"). The file may have any size, and be compressed by gzip. Reports for each webhook how many calls
failed, when and why, how many requests were admitted unchecked or denied, and what to run next. If a cluster is
configured, it then examines the worst webhooks there. Dry runs in audit logs are counted separately. Other input is
explained as by "kubectl webhook explain".

klog times are read as UTC. An audit log shows that a call failed open, but not why; the log of the API server shows
why.

Exit codes: 0 no call failed; 1 calls failed; 2 wrong usage, or the file cannot be read; 3 no failed call found, but
the input is empty, truncated or not a log; 130 interrupted.`;
  static override examples = [
    'kubectl webhook scan /var/log/kubernetes/audit.log',
    '$ kubectl get events -A -o json | kubectl webhook scan -',
    '$ kubectl logs -n kube-system kube-apiserver-node-1 | kubectl webhook scan -',
    'kubectl webhook scan audit.log.gz --no-cluster -o json',
  ];
  static override args = {
    file: requiredArgument('FILE', 'the file to read; - for standard input'),
  };
  static override flags = {
    output: documentOutputFlag,
    all: Flags.boolean({ description: 'do not shorten lists' }),
    'no-cluster': Flags.boolean({ description: 'do not examine the cluster' }),
    ...kubeFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Scan);
    const run = startRun();
    run.stage(`reading ${args.file === '-' ? 'standard input' : args.file}`);
    const report = await run.result(
      scan({
        source: args.file,
        now: new Date(),
        signal: run.interrupted,
        onStage: run.stage,
        cluster: flags['no-cluster'] ? undefined : clusterOptions(flags, clusterTime, run.interrupted),
      }),
    );
    await printDocument(reportDocument(report), flags.output, {
      text: async (look) =>
        (await import('../render/scan/render-scan.ts')).renderScan(report, { ...look, all: flags.all }),
    });
    const found = report.summary.failures + (report.matches ?? []).length > 0;
    const nothing = isComplete(report) && report.source.kind === 'log' ? 0 : 3;
    process.exitCode = run.exitCode(found ? 1 : nothing);
  }
}
