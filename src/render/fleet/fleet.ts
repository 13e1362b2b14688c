import { calloutStates, type DoctorReport, effects } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { counted, countedWebhooks } from '../../phrases/lists.ts';
import { type Story, worstState } from '../resolved-stories.ts';

// Shared by the texts about several clusters. Reports contain harmless text already, see harmless.ts.

/** The name of a cluster: its context, or else the URL of its API server. */
export const clusterName = ({ cluster }: Pick<DoctorReport, 'cluster'>): string =>
  cluster.context ?? cluster.server;

/** Whether a cluster was read completely and has no problem. */
export const hasNoProblem = (report: DoctorReport): boolean =>
  worstState(report) === 'healthy' && report.summary.findings.error === 0 && report.notLookedAt.length === 0;

/** Items, worst first: by the first sort key that differs. The order of equal ones is kept. */
export const worstBy = <T>(items: readonly T[], ranksOf: (item: T) => readonly number[]): readonly T[] =>
  items
    .map((item) => ({ item, ranks: ranksOf(item) }))
    .toSorted(
      (a, b) =>
        a.ranks.map((rank, at) => rank - (b.ranks[at] ?? 0)).find((difference) => difference !== 0) ?? 0,
    )
    .map(({ item }) => item);

/**
 * Sort keys of a failure among those of all clusters, as `doctor` sorts those of one: blocking before unchecked, work of the
 * cluster itself, failing before degraded, then its place among the outages of its cluster, widest first.
 */
export function breadthIn({ blocked, unchecked }: DoctorReport): (story: Story) => readonly number[] {
  const lines = [...blocked, ...unchecked];
  return ({ state, callouts }) => {
    const ids = new Set(callouts.map(calloutId));
    const isOf = (line: (typeof lines)[number]) => line.callouts.some((id) => ids.has(id));
    const first = lines.findIndex(isOf);
    const { covered = 1, total = 1 } = lines[first]?.namespaces ?? {};
    return [
      state === 'unknown' ? 1 : 0,
      effects.indexOf(callouts[0].verdict.effect),
      lines.some((line) => line.urgent === true && isOf(line)) ? 0 : 1,
      calloutStates.indexOf(state),
      covered * 2 > total ? 0 : 1,
      first < 0 ? lines.length : first,
    ];
  };
}

/** Sort keys of a cluster: blocked requests, those of the cluster itself, broken webhooks, errors, failed reads. */
const ranksOf = (report: DoctorReport): readonly number[] => [
  report.blocked.length > 0 ? 0 : 1,
  report.blocked.some(({ urgent }) => urgent === true) ? 0 : 1,
  calloutStates.indexOf(worstState(report)),
  -report.summary.callouts.failing,
  -report.summary.findings.error,
  -report.notLookedAt.length,
];

/** Clusters, worst first; the order of equal ones is kept. */
export const worstClustersFirst = (reports: readonly DoctorReport[]): readonly DoctorReport[] =>
  worstBy(reports, ranksOf);

/** `14 webhooks: 12 healthy, 2 failing`; for a cluster that could not be read, the reason. */
export function clusterCounts(report: DoctorReport): string {
  const { cluster, callouts, summary, notLookedAt } = report;
  if (cluster.error !== undefined) return `not read: ${cluster.error}`;
  const states = calloutStates.flatMap((state) =>
    summary.callouts[state] > 0 ? [`${summary.callouts[state]} ${state}`] : [],
  );
  const { error, warning } = summary.findings;
  return [
    `${countedWebhooks(callouts)}${states.length === 0 ? '' : `: ${states.join(', ')}`}`,
    ...(error > 0 ? [counted(error, 'error')] : []),
    ...(warning > 0 ? [counted(warning, 'warning')] : []),
    ...(notLookedAt.length > 0 ? [`${notLookedAt.length} not readable`] : []),
  ].join('; ');
}

/** `40 clusters: 36 without a failing call, 2 not read`, and the webhooks of all clusters by state. */
export function fleetFacts(reports: readonly DoctorReport[]): readonly string[] {
  const unread = reports.filter(({ cluster }) => cluster.error !== undefined).length;
  const states = calloutStates.flatMap((state) => {
    const count = reports.reduce((sum, { summary }) => sum + summary.callouts[state], 0);
    return count > 0 ? [`${count} ${state}`] : [];
  });
  const webhooks = countedWebhooks(reports.flatMap(({ callouts }) => callouts));
  return [
    `${counted(reports.length, 'cluster')}${unread === 0 ? '' : `, ${unread} not read`}`,
    states.length === 0 ? webhooks : `${webhooks}: ${states.join(', ')}`,
  ];
}
