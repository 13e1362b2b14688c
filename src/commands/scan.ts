import { Args, Command, Flags } from '@oclif/core';
import { documentOutputFlag } from '../cli/flags.ts';
import { interruptedExitCode, interruption } from '../cli/interrupt.ts';
import { kubeFlags, verbosity, wayTo } from '../cli/kube-flags.ts';
import { printScan } from '../cli/print.ts';
import { startProgress } from '../cli/progress.ts';
import type { ScanReport } from '../scan/scan-report.ts';
import { scan } from '../workflows/scan/scan.ts';

/** Longest time for a look at the cluster, in milliseconds. */
const clusterTime = 60_000;

/** An empty input is what a command leaves that failed before the pipe. */
const isWhole = ({ source }: ScanReport): boolean => source.bytes > 0 && source.brokenOff === undefined;

/** What logs, audit logs and events tell about calls. */
export default class Scan extends Command {
  static override description =
    `Reads the log of an API server (text or JSON), its audit log, the log of a controller, or events
("kubectl get events -A -o json"), of any size, packed with gzip or not: for each webhook how many calls failed and
why, how many let the request pass, how many requests it denied, when it began and ended, what each failure means and
what to run next. Then looks at the worst of them in the cluster, if there is one. Dry runs, which an audit log marks,
are counted apart. Of an input that is no log it says what "kubectl webhook explain" says.

Times of klog are taken as UTC. An audit log tells that a call failed open, and not why: the API server's log does.

Exit codes: 0 no call failed; 1 calls failed; 2 wrong usage, or a file that cannot be read; 3 no call failed in what
there was, but the input is empty, breaks off, or is no log; 130 interrupted.`;
  static override examples = [
    'kubectl webhook scan /var/log/kubernetes/audit.log',
    '$ kubectl get events -A -o json | kubectl webhook scan -',
    '$ kubectl logs -n kube-system kube-apiserver-node-1 | kubectl webhook scan -',
    'kubectl webhook scan audit.log.gz --no-cluster -o json',
  ];
  static override args = {
    file: Args.string({
      name: 'FILE',
      description: 'what to read; - for standard input',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    output: documentOutputFlag,
    all: Flags.boolean({ description: 'cut no list short' }),
    'no-cluster': Flags.boolean({ description: 'do not look at the cluster' }),
    ...kubeFlags,
    v: verbosity,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Scan);
    const progress = startProgress();
    const interrupt = interruption();
    progress.stage(`reading ${args.file === '-' ? 'standard input' : args.file}`);
    const report = await scan({
      source: args.file,
      now: new Date(),
      signal: interrupt.listen(),
      onStage: progress.stage,
      ...(flags['no-cluster'] ? {} : { cluster: wayTo(flags, clusterTime) }),
    }).finally(progress.stop);
    interrupt.release();
    await printScan(report, flags.output, flags.all);
    if (interrupt.signal.aborted) process.exitCode = interruptedExitCode;
    else if (report.summary.failures > 0) process.exitCode = 1;
    else if ((report.matches ?? []).length > 0) process.exitCode = 1;
    else process.exitCode = isWhole(report) && report.source.kind === 'log' ? 0 : 3;
  }
}
