import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { exitCode, worstExitCode } from '../cli/exit-code.ts';
import {
  calloutArgument,
  certificateOutputFlag,
  choiceOr,
  expiryWindow,
  failOn,
  filterFlags,
  filterOf,
  textFlag,
} from '../cli/flags.ts';
import {
  clusterOptions,
  clustersFlags,
  commandFor,
  contextsOf,
  readingFlags,
  sameClusterFlags,
} from '../cli/kube-flags.ts';
import { printCertificates, printCertificatesOfClusters } from '../cli/print.ts';
import { certCheck } from '../workflows/cert-check.ts';
import { checkFiles } from '../workflows/check-files.ts';
import { CannotStart } from '../workflows/cluster/cannot-start.ts';
import { eachCluster } from '../workflows/cluster/each-cluster.ts';
import { unreachedCertificates } from '../workflows/cluster/unreached.ts';
import { onCluster } from '../workflows/cluster/with-cluster.ts';

export default class CertCheck extends Command {
  static override description =
    `Shows for every webhook and APIService whether the API server accepts its certificates: those that its
Pods serve, and the one in the Secret that they mount. Also shows when the first certificate expires, and who renews
it. The certificates are verified by the rules of the API server, with its error messages. It changes nothing, connects
to the Pods by port-forward, and never keeps private keys.

Exit codes: 0 all accepted; 1 something is rejected, or expires within --expires-within; 2 wrong usage, or no cluster;
3 nothing found, but the certificates of some webhook could not be read.`;
  static override examples = [
    'kubectl webhook cert-check',
    'kubectl webhook cert-check my-webhooks -o wide',
    'kubectl webhook cert-check --expires-within 30d',
    "kubectl webhook cert-check --contexts 'prod-*' --expires-within 30d",
    'kubectl webhook cert-check --calendar -o ics > certificates.ics',
    'kubectl webhook cert-check --from-files ca.crt tls.crt --host web.shop.svc',
  ];
  static override strict = false;
  static override args = calloutArgument('webhooks and APIServices to examine (default: all)');
  static override flags = {
    output: certificateOutputFlag,
    all: Flags.boolean({ description: 'list accepted webhooks, too' }),
    'expires-within': expiryWindow({
      description:
        'exit with 1 if a certificate expires within this time; with --calendar: the period to list',
    }),
    calendar: Flags.boolean({
      description: 'list certificates by expiry date: expired ones and the next 90 days',
    }),
    'from-files': Flags.boolean({
      description: 'verify files instead of a cluster: the caBundle, then the served chain',
    }),
    host: textFlag(
      'NAME',
      'with --from-files: the server name that the API server verifies, SERVICE.NAMESPACE.svc',
      { dependsOn: ['from-files'] },
    ),
    probe: choiceOr(
      'connect',
      ['none', 'connect'],
      'none: connect to no Pod, verify the certificates in Secrets only',
    ),
    'fail-on': failOn,
    ...readingFlags,
    ...clustersFlags,
    ...filterFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(CertCheck);
    const started = performance.now();
    const names = argv as string[];
    const contexts = contextsOf(flags);
    const { all, calendar, output, probe, 'from-files': fromFiles, 'expires-within': within } = flags;
    if (contexts !== undefined && (calendar || fromFiles || output === 'ics' || output === 'junit'))
      this.error('--calendar, --from-files, -o ics and -o junit are about one cluster', { exit: 2 });
    const run = startRun();
    const reports = await run.result(
      fromFiles
        ? checkFiles({ files: names, host: hostOf(flags.host), now: new Date() }).then((report) => [report])
        : eachCluster({
            options: clusterOptions(flags, flags.timeout, run.interrupted),
            contexts,
            probes: probe !== 'none',
            look: (options, onStage) =>
              onCluster(options, (reader, prober) =>
                certCheck(reader, {
                  callouts: names,
                  ...filterOf(flags),
                  now: new Date(),
                  prober: probe === 'none' ? undefined : prober,
                  onStage,
                  sameCluster: sameClusterFlags(flags, options.flags.context),
                }),
              ),
            unreached: unreachedCertificates,
            onStage: run.stage,
          }),
    );
    const [only] = reports;
    if (contexts === undefined && only !== undefined)
      await printCertificates(only, output, {
        all: all || fromFiles,
        calendar,
        named: names.length > 0 && !fromFiles,
        within,
        ...(flags['from-snapshot'] === undefined ? { tookMs: performance.now() - started } : {}),
      });
    else {
      const asked = [...names, ...(probe === 'none' ? ['--probe', 'none'] : [])];
      const detailsOf = (context: string): string => commandFor('cert-check', asked, flags, context);
      await printCertificatesOfClusters(reports, output, {
        all,
        named: names.length > 0,
        within,
        detailsOf,
      });
    }
    process.exitCode = run.exitCode(
      worstExitCode(reports.map((report) => exitCode(report, flags['fail-on'], within))),
    );
  }
}

function hostOf(host: string | undefined): string {
  if (host !== undefined && host !== '') return host;
  throw new CannotStart(
    '--from-files requires --host, the server name that the API server verifies: SERVICE.NAMESPACE.svc',
  );
}
