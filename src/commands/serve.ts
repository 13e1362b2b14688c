import { Command, Flags } from '@oclif/core';
import { durationFlag, probeLevel, textFlag } from '../cli/flags.ts';
import { interruptedExitCode, onInterrupt } from '../cli/interrupt.ts';
import { clusterOptions, kubeFlags } from '../cli/kube-flags.ts';
import { printProblem, watchedReport } from '../cli/print.ts';
import { programVersion } from '../cli/program.ts';

export default class Serve extends Command {
  static override description =
    `Examines the cluster as doctor does, when an object changes and once in each interval. Serves the result: /metrics
(OpenMetrics), /healthz, /readyz, and the HTML report at /. It runs in a Pod (docs/fleet.md), and connects to Pods at
their own addresses. Changes nothing, except its own Lease with --leader-elect.

/metrics and / require a bearer token: the API server authenticates its user, who must be allowed to get the path. Each
change of a webhook's state is a line on standard output.

Exit codes: 0 after SIGTERM; 2 wrong usage, or the port cannot be opened; 130 after Ctrl-C.`;
  static override examples = [
    'kubectl webhook serve',
    'kubectl webhook serve --listen :9443 --interval 2m --leader-elect',
    'kubectl webhook serve --tls-cert-file tls.crt --tls-private-key-file tls.key',
    'kubectl webhook rbac serve --serviceaccount monitoring:kubectl-webhook',
  ];
  static override flags = {
    listen: Flags.string({
      helpValue: 'HOST:PORT',
      default: ':8443',
      description: 'where to serve; without a host: on all addresses',
    }),
    interval: durationFlag(
      '1m',
      'longest time between two examinations; each Pod is probed once in this time',
    ),
    probe: probeLevel(
      'none: read objects; connect: also TLS to each Pod; review: also dry-run reviews, sent to the Pods',
    ),
    'leader-elect': Flags.boolean({
      description:
        'with several replicas: only the holder of the Lease kubectl-webhook probes, and reads metrics of API servers',
    }),
    'tls-cert-file': textFlag(
      'FILE',
      'certificate to serve, PEM, read again each minute (default: a self-signed one)',
      { dependsOn: ['tls-private-key-file'] },
    ),
    'tls-private-key-file': textFlag('FILE', 'its private key, PEM', { dependsOn: ['tls-cert-file'] }),
    'allow-anonymous': Flags.boolean({ description: 'let everyone read the metrics and the report' }),
    ...kubeFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve);
    const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(flags.listen) ?? [];
    const host = bracketed ?? plain;
    const port = Number(digits);
    if (digits === '' || port > 65_535)
      this.error(`invalid --listen "${flags.listen}": must be [HOST]:PORT`, { exit: 2 });
    if (flags.interval < 10_000) this.error('--interval must be at least 10s', { exit: 2 });
    const ended = new AbortController();
    let exitCode = 0;
    const release = onInterrupt(() => {
      exitCode = interruptedExitCode;
      ended.abort();
    });
    process.once('SIGTERM', () => ended.abort());
    const { 'tls-cert-file': certificate, 'tls-private-key-file': key } = flags;
    const { serve } = await import('../workflows/serve.ts');
    await serve({
      flags,
      observe: clusterOptions(flags, 0).observe,
      version: programVersion,
      host: host || undefined,
      port,
      interval: flags.interval,
      probe: flags.probe,
      keyPairFiles: certificate === undefined || key === undefined ? undefined : { certificate, key },
      anonymous: flags['allow-anonymous'],
      elects: flags['leader-elect'],
      listening: (opened) => printProblem(`serving /metrics and the report at port ${opened}, with TLS`),
      show: watchedReport({ all: false, details: false, named: false }),
      problem: printProblem,
      signal: ended.signal,
    }).finally(release);
    process.exitCode = exitCode;
  }
}
