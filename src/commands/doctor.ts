import { Command, Flags, type Interfaces } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { exitCode, worstExitCode } from '../cli/exit-code.ts';
import {
  allFlag,
  calloutArgument,
  choice,
  choiceOr,
  detailsFlag,
  duration,
  fileFlag,
  filterFlags,
  filterOf,
  findingFlags,
  probeLevel,
  reportOutputFlag,
  textFlag,
  watchOption,
} from '../cli/flags.ts';
import {
  clusterOptions,
  clustersFlags,
  contextsOf,
  readingFlags,
  sameClusterFlags,
} from '../cli/kube-flags.ts';
import { printProblem, printReport, watchedReport } from '../cli/print.ts';
import type { ClusterReader, OpenProber } from '../collect/cluster.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import type { GivenObject } from '../facts/sample.ts';
import { unreachedReport } from '../workflows/cluster/unreached.ts';

export default class Doctor extends Command {
  static override description =
    `Examines every admission webhook, conversion webhook and APIService, from its configuration to each Pod. Connects
to the Pods, and reports whether the next call will succeed. Changes nothing: requests are marked as dry runs
(docs/probes.md).

WEBHOOK is a name from an error message, kubectl or this program: CONFIGURATION, CONFIGURATION/WEBHOOK, the name of the
webhook, KIND/NAME, the Service as NAMESPACE/NAME, or service/NAME with -n. A unique prefix suffices. Named webhooks
are examined in more detail.

With --watch, doctor watches the lists. It examines the webhooks again when an object changes, at most every 5 seconds,
and probes backends once a minute. A list without the watch permission is read once a minute.

With --contexts or --all-contexts, it examines several clusters at a time and reports the worst first. --timeout limits
each cluster. A cluster that cannot be read is reported, and the others are examined.

Exit codes: 0 nothing found; 1 found something at or above --fail-on; 2 wrong usage, or no cluster; 3 nothing found,
but something could not be read.`;
  static override examples = [
    'kubectl webhook doctor',
    'kubectl webhook doctor my-webhooks',
    'kubectl webhook doctor crd/certificates.cert-manager.io',
    'kubectl webhook doctor --from deployment/cart -n shop',
    'kubectl webhook doctor --watch --until healthy',
    'kubectl webhook doctor -o json --fail-on warning',
    'kubectl webhook doctor my-webhooks -f refused.yaml',
    'kubectl webhook doctor --context prod --skip timeout-too-long',
    "kubectl webhook doctor --contexts 'prod-*,staging'",
  ];
  static override strict = false;
  static override args = calloutArgument('webhooks and APIServices to examine (default: all)');
  static override flags = {
    output: reportOutputFlag,
    all: allFlag,
    details: detailsFlag,
    probe: probeLevel(
      'none: read objects only; connect: also a TLS handshake with every Pod; review: also call every Pod, with dry runs',
    ),
    ...findingFlags('info'),
    filename: fileFlag('objects to call the named webhook with, in dry runs; - for standard input', {
      exclusive: ['from', 'deep'],
    }),
    samples: choiceOr(
      'stored',
      ['stored', 'none'],
      'stored objects to call a named webhook with, in dry runs; none leaves them out',
    ),
    yes: Flags.boolean({
      description: 'with -f: confirm that the data of Secrets may be sent to the webhook',
    }),
    from: textFlag(
      'KIND/NAME',
      'start at a stuck object: deployment/cart, namespace/shop, or any other resource',
      { exclusive: ['deep', 'affecting', 'selector', 'from-snapshot'] },
    ),
    deep: Flags.boolean({ description: 'read workloads, Pods, events and Leases of every backend' }),
    sample: duration({
      description: 'sample the metrics of the API server twice, this far apart, and report the difference',
    }),
    watch: { ...watchOption, exclusive: ['from-snapshot', 'output', 'sample'] },
    until: choice(['healthy'], 'with --watch: exit when every webhook is healthy', { dependsOn: ['watch'] }),
    ...readingFlags,
    ...clustersFlags,
    ...filterFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Doctor);
    const started = performance.now();
    if (flags.filename !== undefined && (argv.length === 0 || flags.probe !== 'review'))
      this.error('-f takes the name of one webhook, and --probe review', { exit: 2 });
    const contexts = contextsOf(flags);
    if (contexts !== undefined && (flags.output === 'junit' || flags.output === 'sarif'))
      this.error(`-o ${flags.output} reports one cluster; use -o json with several`, { exit: 2 });
    const run = startRun();
    const reports = await run.result(examineClusters({ argv: argv as string[], flags, run }, contexts));
    process.exitCode = run.exitCode(
      worstExitCode((reports ?? []).map((report) => exitCode(report, flags['fail-on']))),
    );
    if (reports === undefined) return;
    const how = {
      all: flags.all,
      details: flags.details,
      named: argv.length > 0,
      ...(flags['from-snapshot'] === undefined ? { tookMs: performance.now() - started } : {}),
    };
    await printReport((contexts === undefined && reports[0]) || reports, flags.output, how);
  }
}

interface DoctorRun {
  readonly argv: readonly string[];
  readonly flags: Interfaces.InferredFlags<typeof Doctor.flags>;
  readonly run: ReturnType<typeof startRun>;
}

/** Examines a cluster whose connection is open. `context`: that of one of several clusters. */
type Examine = (
  reader: ClusterReader,
  prober: OpenProber,
  shown: { readonly context?: string | undefined; readonly onStage?: ((stage: string) => void) | undefined },
) => Promise<DoctorReport>;

/** One report for each cluster; undefined with --watch. */
async function examineClusters(
  command: DoctorRun,
  contexts: ReturnType<typeof contextsOf>,
): Promise<readonly DoctorReport[] | undefined> {
  const { flags, run } = command;
  const objects = flags.filename === undefined ? undefined : await givenObjects(command, flags.filename);
  const examine = await examination(command, objects);
  const options = clusterOptions(flags, flags.timeout, run.interrupted);
  if (flags.watch) {
    await watch(command, examine);
    return undefined;
  }
  const { eachCluster } = await import('../workflows/cluster/each-cluster.ts');
  const { onCluster } = await import('../workflows/cluster/with-cluster.ts');
  return eachCluster({
    options,
    contexts,
    probes: flags.probe !== 'none',
    look: (one, onStage) =>
      onCluster(one, (reader, prober) => examine(reader, prober, { context: one.flags.context, onStage })),
    unreached: unreachedReport,
    onStage: run.stage,
  });
}

/** The objects of -f. Refuses Secrets without --yes. */
async function givenObjects({ flags, run }: DoctorRun, file: string): Promise<readonly GivenObject[]> {
  const { objectsIn, refuseSecrets } = await import('../workflows/input/given-objects.ts');
  const objects = await objectsIn(file, clusterOptions(flags, flags.timeout, run.interrupted));
  if (!flags.yes) refuseSecrets(objects);
  return objects;
}

/** The model is loaded here, after the first line of progress is shown. */
async function examination(
  { argv, flags }: DoctorRun,
  objects: readonly GivenObject[] | undefined,
): Promise<Examine> {
  const { checkIds } = await import('../workflows/selection/check-ids.ts');
  const { doctor } = await import('../workflows/doctor.ts');
  const { stuckObjectName } = await import('../workflows/selection/stuck-object-name.ts');
  const [check, skip] = await Promise.all([checkIds(flags.check ?? []), checkIds(flags.skip ?? [])]);
  return (reader, prober, { context, onStage }) =>
    doctor(reader, {
      callouts: argv,
      ...(flags.from === undefined
        ? filterOf(flags)
        : { from: stuckObjectName(flags.from, reader.namespace) }),
      deep: flags.deep,
      objects,
      withoutSamples: flags.samples === 'none',
      sample: flags.sample,
      check,
      skip,
      severity: flags.severity,
      now: new Date(),
      onStage,
      probe: { level: flags.probe, prober },
      sameCluster: sameClusterFlags(flags, context),
    });
}

/** Prints a report after every change, until Ctrl-C or the state of --until. */
async function watch({ argv, flags, run }: DoctorRun, examine: Examine): Promise<void> {
  const { watchCluster } = await import('../workflows/cluster/watch-cluster.ts');
  const shown = watchedReport({ all: flags.all, details: flags.details, named: argv.length > 0 });
  await watchCluster(clusterOptions(flags, flags.timeout, run.interrupted), {
    look: (reader, prober) => examine(reader, prober, { context: flags.context, onStage: run.stage }),
    about: ({ callouts }) => callouts,
    show: async (report) => {
      run.stop();
      await shown(report);
      return (
        flags.until === 'healthy' &&
        report.callouts.every(({ verdict }) => verdict.state === 'healthy') &&
        exitCode(report, 'never') === 0
      );
    },
    problem: printProblem,
    signal: run.interrupted,
  });
}
