import { atOrAbove, type FailOn } from '../checks/chain.ts';
import type { ClusterReader } from '../collect/cluster.ts';
import { snapshotReader } from '../collect/snapshot-reader.ts';
import { findingFilter, type ShownFindings } from '../diagnose/findings/shown-findings.ts';
import { resources } from '../facts/resource.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { type LintOptions, lintReport } from '../lint/lint.ts';
import type { LintReport } from '../lint/lint-report.ts';
import type { Manifest } from '../lint/manifest.ts';
import { listed } from '../phrases/lists.ts';
import { CannotStart } from './cluster/cannot-start.ts';
import { type ClusterOptions, deadlineOf, onCluster } from './cluster/with-cluster.ts';
import { examineCluster } from './doctor.ts';
import { factsOf, readManifests, withManifests } from './input/manifests.ts';
import { inItsShare } from './time-slice.ts';

/** The flags of `lint`. */
export interface LintInput extends ShownFindings {
  /** Files, directories, `-`. */
  readonly paths: readonly string[];
  /** Namespace of objects that have none; default: that of the cluster's context, or `default`. */
  readonly namespace: string | undefined;
  /** Time limits, and the cluster or snapshot to which the manifests would be applied, if there is one. */
  readonly options: ClusterOptions;
  readonly against: boolean;
  readonly version: string | undefined;
  readonly now: Date;
}

/** Exit code. 1: a finding at or above `failOn`. 3: none, but parts of the cluster could not be read. */
export const lintExitCode = (
  { summary: { findings }, notLookedAt = [] }: LintReport,
  failOn: FailOn,
): 0 | 1 | 3 => {
  if (atOrAbove[failOn].some((severity) => findings[severity] > 0)) return 1;
  return notLookedAt.length > 0 ? 3 : 0;
};

/** The cluster before and after the manifests are applied. */
async function applied(reader: ClusterReader, manifests: readonly Manifest[], written: Snapshot, now: Date) {
  const { callouts } = written.facts;
  const { snapshot, report } = await examineCluster(reader, {
    examineIn: callouts.flatMap(({ client }) => client.service?.namespace ?? []),
    now,
  });
  const facts = withManifests(snapshot.facts, manifests, written.facts);
  return { snapshot: { ...snapshot, facts }, destination: { report, before: snapshot.facts, after: facts } };
}

/** Throws CannotStart if no check reads the kinds of these objects: then nothing would be examined. */
function refuseUnknownKinds(manifests: readonly Manifest[]): void {
  const isKnown = ({ object: { apiVersion, kind } }: Manifest): boolean => {
    const known = Object.entries(resources).find(([name]) => name === kind);
    const [, group = ''] = apiVersion.split('/').reverse();
    return known?.[1].group === group;
  };
  const [first] = manifests;
  if (first === undefined || manifests.some(isKnown)) return;
  const kinds = [...new Set(manifests.map(({ object }) => `${object.kind} (${object.apiVersion})`))];
  throw new CannotStart(
    `${first.file}:${first.line}: lint examines no object of kind ${listed(kinds, { most: 3 })}`,
    'With --against, objects of every kind are checked as if they were applied.',
  );
}

/** Evaluates manifests before they are applied. Throws CannotStart if there are none. */
export async function lint(input: LintInput): Promise<LintReport> {
  const { paths, options, against, version, now } = input;
  const { deadline, until, rest } = deadlineOf(options);
  const end = { until, deadline };
  const { files, templates, manifests, misshapen, wellFormed } = await readManifests(paths, end);
  const evaluated = async (
    snapshot: Snapshot,
    namespace: string,
    there: Pick<LintOptions, 'version' | 'destination'>,
  ): Promise<LintReport> => {
    const { report } = await examineCluster(
      { ...snapshotReader(snapshot, namespace, 'given'), ...end },
      { deep: true, now },
    );
    const show = findingFilter(input);
    const about = { files, templates, manifests, namespace, misshapen, show, ...there };
    return inItsShare(end, 1, 'while the findings were put together', () =>
      lintReport(about, report, snapshot.facts),
    );
  };
  if (!against) {
    refuseUnknownKinds(manifests);
    const { namespace = 'default' } = input;
    return evaluated(await factsOf(wellFormed, namespace, now, end), namespace, { version });
  }
  return onCluster({ ...options, ...rest() }, async (reader) => {
    const { namespace } = reader;
    const written = await factsOf(wellFormed, namespace, now, end);
    const { snapshot, destination } = await applied(reader, wellFormed, written, now);
    return evaluated(snapshot, namespace, { version: version ?? snapshot.cluster.version, destination });
  });
}
