import { Command, Flags, type Interfaces } from '@oclif/core';
import { exitCode } from '../cli/exit-code.ts';
import {
  calloutArgument,
  certificateOutputFlag,
  expiryWindow,
  failOn,
  filterFlags,
  filterOf,
  timeout,
} from '../cli/flags.ts';
import { interruption } from '../cli/interrupt.ts';
import { kubeFlags, snapshotFlag, verbosity, wayTo } from '../cli/kube-flags.ts';
import { printCertificates } from '../cli/print.ts';
import { startProgress } from '../cli/progress.ts';
import { certCheck } from '../workflows/cert-check.ts';
import { checkFiles } from '../workflows/check-files.ts';
import { CannotStart, withCluster } from '../workflows/with-cluster.ts';

/** caBundle ↔ Secret ↔ certificate served by each replica. */
export default class CertCheck extends Command {
  static override description =
    `For every webhook and APIService: whether the API server accepts what each replica serves, whether it would accept what lies in the
Secret that the replicas mount, when the first certificate ends on which the call rests, and who renews it. Verdicts
are the API server's own, in its words. Reads only, and connects to the replicas by port-forward; private keys are
never kept.

Exit codes: 0 all accepted; 1 something rejected, or ends within --expires-within; 2 wrong usage, or no cluster to talk
to; 3 nothing found, but of some webhook no certificate could be seen.`;
  static override examples = [
    'kubectl webhook cert-check',
    'kubectl webhook cert-check my-webhooks -o wide',
    'kubectl webhook cert-check --expires-within 30d',
    'kubectl webhook cert-check --calendar -o ics > certificates.ics',
    'kubectl webhook cert-check --from-files ca.crt tls.crt --host web.shop.svc',
  ];
  static override strict = false;
  static override args = calloutArgument('what to look at; everything unless named');
  static override flags = {
    output: certificateOutputFlag,
    all: Flags.boolean({ description: 'list accepted webhooks too' }),
    'expires-within': expiryWindow({
      description: 'exit with 1 when a certificate ends within this time; with --calendar: what it holds',
    }),
    calendar: Flags.boolean({
      description: 'what expires when, sorted: the next 90 days, and what has expired',
    }),
    'from-files': Flags.boolean({
      description: 'judge files instead of a cluster: the caBundle, then what is served',
    }),
    host: Flags.string({
      helpValue: 'NAME',
      description: 'with --from-files: the name that the API server asks for, SERVICE.NAMESPACE.svc',
      dependsOn: ['from-files'],
    }),
    probe: Flags.option({
      options: ['none', 'connect'] as const,
      default: 'connect',
      description: 'none: connect to nothing, judge what lies in Secrets',
    })(),
    'fail-on': failOn,
    timeout,
    ...snapshotFlag,
    ...kubeFlags,
    ...filterFlags,
    v: verbosity,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(CertCheck);
    const started = performance.now();
    const names = argv as string[];
    const report = flags['from-files']
      ? await checkFiles({ files: names, host: hostOf(flags.host), now: new Date() })
      : await this.ofCluster(names, flags);
    await printCertificates(report, flags.output, {
      all: flags.all || flags['from-files'],
      calendar: flags.calendar,
      named: names.length > 0 && !flags['from-files'],
      within: flags['expires-within'],
      ...(flags['from-snapshot'] === undefined ? { tookMs: performance.now() - started } : {}),
    });
    process.exitCode = exitCode(report, flags['fail-on'], flags['expires-within']);
  }

  private async ofCluster(callouts: readonly string[], flags: CheckFlags) {
    const progress = startProgress();
    const interrupt = interruption();
    const report = await withCluster(wayTo(flags, flags.timeout), (reader, prober) =>
      certCheck(reader, {
        callouts,
        ...filterOf(flags),
        now: new Date(),
        onStage: progress.stage,
        interruptible: interrupt.listen,
        ...(flags.probe === 'none' ? {} : { prober }),
      }),
    ).finally(progress.stop);
    interrupt.release();
    return report;
  }
}

type CheckFlags = Interfaces.InferredFlags<typeof CertCheck.flags>;

function hostOf(host: string | undefined): string {
  if (host !== undefined && host !== '') return host;
  throw new CannotStart(
    '--from-files needs --host, the name that the API server asks for: SERVICE.NAMESPACE.svc',
  );
}
