import type { Attempts } from '../collect/attempts.ts';
import type { ClusterReader, OpenProber } from '../collect/cluster.ts';
import { type ClusterFacts, type FirstFacts, type ReadingPlan, readCluster } from '../collect/planner.ts';
import type { RememberedProbes } from '../collect/probes/run.ts';
import type { StuckObjectCallouts } from '../collect/stuck-object.ts';
import { findingFilter, type ShownFindings } from '../diagnose/findings/shown-findings.ts';
import type { DoctorReport } from '../diagnose/report.ts';
import { type Callout, isAdmission } from '../facts/callout.ts';
import type { ProbeLevel } from '../facts/probes.ts';
import type { GivenObject } from '../facts/sample.ts';
import type { Facts, Snapshot } from '../facts/snapshot.ts';
import type { StuckObjectName } from '../facts/stuck-object.ts';
import type { Unread } from '../facts/unread.ts';
import { CannotStart } from './cluster/cannot-start.ts';
import { type CalloutChoice, selectedCallouts } from './selection/filter-callouts.ts';
import { inItsShare } from './time-slice.ts';

/** The flags of `doctor`. */
export interface DoctorOptions extends CalloutChoice, ShownFindings {
  /** A stuck object (`--from`): the webhooks that may block it are examined instead of named ones. */
  readonly from?: StuckObjectName | undefined;
  /** Selects webhooks by the first facts instead of names and filters; can read what it needs for that. */
  readonly choose?: (first: FirstFacts, read: Attempts) => Promise<readonly Callout[]>;
  /** Examine all backends, also those that look healthy. */
  readonly deep?: boolean;
  /** Namespaces whose backends are examined, also if they look healthy. */
  readonly examineIn?: readonly string[] | undefined;
  /** Gets the first facts. An error that it throws ends the run before more is read. */
  readonly validateFirst?: (first: FirstFacts, unread: readonly Unread[]) => void;
  /** Milliseconds between two reads of the API server's metrics; absent: at most one read. */
  readonly sample?: number | undefined;
  /** Read the metrics once in any case. */
  readonly counts?: boolean;
  readonly now: Date;
  readonly onStage?: ((stage: string) => void) | undefined;
  /** Objects to call the named webhooks with, in dry runs. */
  readonly objects?: readonly GivenObject[] | undefined;
  /** Do not call webhooks with stored objects. */
  readonly withoutSamples?: boolean;
  /** The level of probes; `none` or no prober: objects only. */
  readonly probe?: Probing | undefined;
  /** Flags that select the same cluster in a suggested command, with a leading space: ` --context prod`. */
  readonly sameCluster?: string;
}

/** The facts of a run, and the report about them. */
export interface Diagnosis {
  readonly snapshot: Snapshot;
  readonly report: DoctorReport;
}

/** How backends are connected to. */
export interface Probing {
  readonly level: ProbeLevel;
  readonly prober: OpenProber;
  /** Connect to Pods only: send no probe through the API server. */
  readonly replicasOnly?: boolean;
  readonly remembered?: RememberedProbes;
}

/** Maps the flags to reads: backends are examined, and /metrics is read, if webhooks are named. */
function readingPlan(options: DoctorOptions, namespace: string): ReadingPlan {
  const { callouts = [], from, deep = false, sample, counts, onStage, now } = options;
  const chosen = from !== undefined || options.choose !== undefined;
  const named = deep || callouts.length > 0;
  const wanted = callouts.length > 0 ? 'always' : 'of-suspects';
  const metrics = named || counts ? {} : undefined;
  const { level = 'none', prober, ...how }: Partial<Probing> = options.probe ?? {};
  return {
    now,
    readOptions: {
      topics: ['failures', 'certificates', 'deadlocks'],
      examineAll: named || chosen,
      named: callouts.length > 0,
      examineIn: options.examineIn,
      probe: level === 'none' ? undefined : { level, ...how },
      samples: {
        given: options.objects ?? [],
        namespace,
        stored: options.withoutSamples ? 'never' : wanted,
      },
      metrics: sample === undefined ? metrics : { sample },
    },
    prober: level === 'none' ? undefined : prober,
    onStage,
  };
}

/** The code that evaluates facts, builds the report and attaches remedies. */
const loadEvaluation = async () => ({
  ...(await import('../checks/catalogue.ts')),
  ...(await import('./check-while-reading.ts')),
  ...(await import('../diagnose/build-report.ts')),
  ...(await import('./attach-remedies.ts')),
});

/** Diagnoses a cluster and attaches remedies. Throws ReadError (no cluster) and CalloutNameError. */
export async function doctor(reader: ClusterReader, options: DoctorOptions): Promise<DoctorReport> {
  return withRemedies(reader, await examineCluster(reader, options), options);
}

/** The report of a diagnosis, with the remedies of its findings. */
export async function withRemedies(
  reader: ClusterReader,
  { snapshot, report }: Diagnosis,
  options: DoctorOptions,
): Promise<DoctorReport> {
  if (report.findings.length + report.stories.length === 0) return report;
  const { attachRemedies } = await import('./attach-remedies.ts');
  const { callouts = [], check = [], skip = [], severity = 'info', filter, from, choose } = options;
  const isUnfiltered =
    callouts.length + check.length + skip.length === 0 &&
    severity === 'info' &&
    (filter ?? from ?? choose) === undefined;
  return inItsShare(reader, 1 / 4, 'while remedies were looked for', (isOver) =>
    attachRemedies(report, snapshot, { isUnfiltered, sameCluster: options.sameCluster ?? '', isOver }),
  );
}

async function withFrom(
  diagnosed: DoctorReport,
  from: StuckObjectCallouts,
  sameCluster: string | undefined,
): Promise<DoctorReport> {
  const { fromReport, hiddenFrom } = await import('../diagnose/from-report.ts');
  const notLookedAt = [...diagnosed.notLookedAt, ...hiddenFrom(from.trail)];
  return { ...diagnosed, notLookedAt, from: fromReport(from, diagnosed.callouts, sameCluster) };
}

/** Throws CannotStart if a kind of the objects is not served, or no named webhook is called with objects. */
async function refuseUnservedObjects(
  objects: readonly GivenObject[],
  chosen: readonly Callout[],
  facts: Pick<Facts, 'served'>,
): Promise<void> {
  const { servedKind } = await import('./input/given-objects.ts');
  if (!chosen.some(isAdmission))
    throw new CannotStart('-f requires the name of an admission webhook: it is called with the objects');
  for (const object of objects) servedKind(object, facts);
}

/** Reads the first facts of a cluster, and selects the webhooks of the run. */
async function begin(reader: ClusterReader, options: DoctorOptions) {
  const source = readCluster(reader, readingPlan(options, reader.namespace));
  const loading = source.attempts.firstResponse.then(loadEvaluation);
  // Nearly every check needs this for all webhooks.
  if (options.from === undefined && (options.callouts ?? []).length === 0)
    loading.then(({ parseCaBundles }) => parseCaBundles(source.known, reader)).catch(() => undefined);
  const [first, evaluation] = await Promise.all([source.first(), loading]);
  const from = options.from && (await findFrom(source, first, options.from));
  const given = (await options.choose?.(first, source.attempts)) ?? from?.trail.callouts;
  const { chosen, ...leftOut } =
    given === undefined ? selectedCallouts(first, options, source.attempts.failed) : { chosen: given };
  options.validateFirst?.(first, source.attempts.failed);
  if (options.objects !== undefined) await refuseUnservedObjects(options.objects, chosen, first);
  source.choose(chosen);
  return { source, chosen, leftOut, from, evaluation };
}

/** The webhooks that may block a stuck object. */
async function findFrom({ attempts }: ClusterFacts, first: FirstFacts, object: StuckObjectName) {
  const { findStuckObject } = await import('../collect/stuck-object.ts');
  return findStuckObject(attempts, first, object);
}

/** Reads a cluster for `snapshot`: examines all backends, as if named. Throws ReadError (no cluster). */
export async function factsToSave(
  reader: ClusterReader,
  how: Pick<DoctorOptions, 'now' | 'onStage' | 'probe'>,
): Promise<Snapshot> {
  const { source, evaluation } = await begin(reader, { deep: true, ...how });
  const { catalogue, remedyFacts } = evaluation;
  await source.known([...catalogue.flatMap(({ requires }) => requires), ...remedyFacts]);
  return source.snapshot();
}

/** Diagnoses a cluster without remedies. Throws ReadError (no cluster) and CalloutNameError. */
export async function examineCluster(reader: ClusterReader, options: DoctorOptions): Promise<Diagnosis> {
  const { source, chosen, leftOut, from, evaluation } = await begin(reader, options);
  const { buildReport, catalogue, checkWhileReading, remedyFacts } = evaluation;
  const [checkResults] = await Promise.all([
    checkWhileReading(catalogue, source, reader),
    source.known(remedyFacts),
  ]);
  const snapshot = await source.snapshot();
  const diagnosed = await inItsShare(reader, 1 / 5, 'while the report was put together', (isOver) =>
    buildReport(snapshot, chosen, catalogue, {
      show: findingFilter(options),
      checkResults,
      sameCluster: options.sameCluster,
      isOver,
    }),
  );
  const report = from === undefined ? diagnosed : await withFrom(diagnosed, from, options.sameCluster);
  return { snapshot, report: { ...report, ...leftOut } };
}
