import stringWidth from 'string-width';
import { versionText } from '../../apiserver/server-version.ts';
import { groupBy } from '../../basics/collections.ts';
import { calloutStates, type DoctorReport } from '../../diagnose/report.ts';
import { counted, countedWebhooks, listed } from '../../phrases/lists.ts';
import { type Style, wrap } from './style.ts';

/** True if no healthy webhook was called, as with `--probe none`. */
const isOnlyInferred = (callouts: DoctorReport['callouts']): boolean =>
  callouts.every(({ verdict: { state, confidence } }) => state !== 'healthy' || confidence === 'derived');

/** `14 webhooks: 12 healthy, 1 degraded, 1 failing`; states without webhooks are omitted. */
export function stateCounts(
  { callouts, summary }: Pick<DoctorReport, 'callouts' | 'summary'>,
  { paint }: Style,
): string {
  const { total: _, hidden = 0, ...counts } = summary.callouts;
  const paints = {
    healthy: paint.green,
    degraded: paint.yellow,
    failing: paint.red,
    unknown: paint.magenta,
  };
  const opened = callouts.filter((one) => one.opened !== undefined && one.verdict.state !== 'healthy');
  const states = calloutStates.flatMap((state) => {
    const many = counts[state] - opened.filter(({ verdict }) => verdict.state === state).length;
    const unprobed = state === 'healthy' && many > 0 && isOnlyInferred(callouts) ? ' (not probed)' : '';
    return many > 0 ? [`${paints[state](`${many} ${state}`)}${unprobed}`] : [];
  });
  if (opened.length > 0) states.push(paint.yellow(`${opened.length} failed open`));
  const total = countedWebhooks(callouts);
  const all = hidden === 0 ? states : [...states, `${hidden} not shown (--check, --skip, --severity)`];
  return all.length === 0 ? total : `${total}: ${all.join(', ')}`;
}

/** Cluster, version and counts by state; the duration on the right. */
export function header(report: DoctorReport, style: Style, tookMs: number | undefined): string[] {
  const { cluster } = report;
  const facts = [
    style.paint.bold(cluster.context ?? cluster.server),
    ...(cluster.version === undefined ? [] : [versionText(cluster.version)]),
    stateCounts(report, style),
  ];
  return headline(facts, style, tookMs);
}

/** Facts on one line; the duration on the right. */
export function headline(facts: readonly string[], style: Style, tookMs: number | undefined): string[] {
  const left = facts.join(` ${style.marks.dot} `);
  const right = tookMs === undefined ? '' : `${(tookMs / 1000).toFixed(1)} s`;
  const gap = style.width - stringWidth(left) - right.length;
  if (right !== '' && gap >= 2) return [`${left}${' '.repeat(gap)}${style.paint.dim(right)}`];
  return wrap(left, style.width, '', '  ');
}

/** Why no Pod was probed, if the Pods are known. */
function whyNone({ callouts, notLookedAt }: DoctorReport): string {
  const replicas = callouts.flatMap((callout) => callout.replicas);
  if (notLookedAt.length > 0 || callouts.some(({ backend }) => backend.service === undefined)) return '';
  if (replicas.length === 0) return ' (there is none)';
  return replicas.some(({ endpoint }) => endpoint !== undefined) ? '' : ' (none has an endpoint)';
}

/** `26 webhooks, 31 Pods probed; not read: secrets (2)`: the basis of the verdicts. `isBrief`: not why no Pod was probed. */
export function coverageText(report: DoctorReport, isBrief = false): string {
  const { probed, notProbed } = report.coverage;
  const { notLookedAt } = report;
  const unread = groupBy(notLookedAt, ({ what }) => (typeof what === 'object' ? what.resource : what));
  const kinds = [...unread].map(([name, those]) => (those.length === 1 ? name : `${name} (${those.length})`));
  return [
    ...(probed > 0 || notProbed === 0
      ? [`${counted(probed, 'Pod')} probed${probed === 0 && !isBrief ? whyNone(report) : ''}`]
      : []),
    ...(notProbed === 0 ? [] : [`${counted(notProbed, 'webhook')} not probed`]),
    ...(kinds.length === 0 ? [] : [`not read: ${listed(kinds, { most: 3 })}`]),
  ].join('; ');
}
