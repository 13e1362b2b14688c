import { groupBy } from '../../basics/collections.ts';
import { secondsSince } from '../../basics/time.ts';
import type { DoctorReport, OutageReport } from '../../diagnose/report.ts';
import { shortNames } from '../../facts/callout.ts';
import { shortDuration, spanText } from '../../phrases/durations.ts';
import { andMore, listed, requestsPhrase } from '../../phrases/lists.ts';
import { cut, type Style, wrap } from './style.ts';

/** Maximum number of webhooks named in a line; a single one is always named. */
const mostNamed = 2;
const mostLines = 6;
const startUnknown = 'start time unknown';

/** A kind of outage: its heading, and a sentence per set of webhooks. */
export interface OutageText {
  readonly title: string;
  /** `(start time unknown)`: applies to all sentences that do not state otherwise. */
  readonly note?: string;
  readonly texts: readonly string[];
}

/** Outages of the same webhooks, or of webhooks with one cause. */
interface OutageGroup {
  readonly outages: readonly OutageReport[];
  readonly callouts: readonly string[];
  /** The number of causes to fix before they end. */
  readonly causes: number;
  /** `first seen 20 min ago`. */
  readonly start: string;
}

/**
 * Groups the outages of the same webhooks. Groups with the same causes that differ only in their resources and
 * webhooks become one.
 */
function outageGroups(
  outages: readonly OutageReport[],
  { stories, takenAt }: Pick<DoctorReport, 'stories' | 'takenAt'>,
): readonly OutageGroup[] {
  const causes = new Map(stories.flatMap(({ callouts }, at) => callouts.map((id) => [id, `story ${at}`])));
  const causesOf = (ids: readonly string[]): readonly string[] => [
    ...new Set(ids.map((id) => causes.get(id) ?? id)),
  ];
  const bySet = [...groupBy(outages, (outage) => outage.callouts.toSorted().join(' ')).values()];
  const alike = groupBy(bySet, (same) => {
    const [{ callouts }] = same;
    const joins = same.every(({ operations }) => operations !== undefined);
    const requests = same.map(({ operations, extent, which }) => [operations, extent, which]);
    return JSON.stringify([
      joins ? causesOf(callouts).toSorted() : callouts,
      startText(same[0], takenAt),
      requests,
    ]);
  });
  return [...alike.values()].map((groups) => {
    const callouts = [...new Set(groups.flatMap(([{ callouts: ids }]) => ids))];
    const [first] = groups;
    return {
      outages: groups.length === 1 ? first : first.map((outage, at) => withResourcesOf(outage, groups, at)),
      callouts,
      causes: causesOf(callouts).length,
      start: startText(first[0], takenAt),
    };
  });
}

/** The outage for the resources of all groups at this position. */
function withResourcesOf(
  outage: OutageReport,
  groups: readonly (readonly OutageReport[])[],
  at: number,
): OutageReport {
  const resources = [...new Set(groups.flatMap((group) => group[at]?.resources ?? []))];
  return { ...outage, resources, what: requestsPhrase({ ...outage, resources }) };
}

/** `: 9 webhooks`, or their names; empty if the sentence already names the API of the only one. */
function who(all: readonly string[], nameOf: (id: string) => string): string {
  const [first = '', ...others] = all;
  if (others.length === 0) return /^(apiservice|crd)\//.test(first) ? '' : `: ${nameOf(first)}`;
  return all.length > mostNamed ? `: ${all.length} webhooks` : `: ${listed(all.map(nameOf))}`;
}

/** What to fix before it ends, if that is more than one cause: `, fix all of them`, `, fix both causes`. */
function whatToFix({ callouts, causes }: OutageGroup): string {
  if (causes < 2) return '';
  if (causes < callouts.length) return `, fix ${causes === 2 ? 'both' : `all ${causes}`} causes`;
  return causes > mostNamed ? ', fix all of them' : ', fix both';
}

/** Maximum number of consequences for the cluster in a line of the first screen. */
const mostHarms = 2;

/** What is refused, by which webhooks, and in parentheses what the cluster cannot do without it. */
function whatOf(same: readonly OutageReport[], subject: string, all: boolean): string {
  const of = (wanted: OutageReport['kind']): readonly string[] =>
    same.filter(({ kind }) => kind === wanted).map(({ what }) => what);
  const [requests, harms] = [of('requests').join('; '), of('system')];
  const shown = all || harms.length <= mostHarms + 1 ? harms : harms.slice(0, mostHarms);
  const system = [...shown, ...(shown === harms ? [] : [andMore(harms.length - shown.length)])].join('; ');
  return requests && system ? `${requests}${subject} (${system})` : `${requests}${system}${subject}`;
}

/** When it began, as far as a fact shows: `first seen 20 min ago`, `Pods down for 2 h`. */
function startText({ since, sign, notYet }: OutageReport, takenAt: string): string {
  if (notYet === true) return 'calls still succeed over a keep-alive connection';
  if (since === undefined) return startUnknown;
  // It can begin while the run reads the cluster.
  const age = shortDuration(Math.max(0, Math.round(secondsSince(since, takenAt) ?? 0)));
  switch (sign) {
    case 'pods-not-ready':
      return `Pods down for ${age}`;
    case 'no-endpoint':
      return `no ready endpoint for ${age}`;
    case 'cause':
      return `cause present for ${age}`;
    case 'failed-open':
      return `failed open ${spanText(takenAt, since)}`;
    default:
      return `first seen ${age === '0 s' ? 'just now' : `${age} ago`}`;
  }
}

/** How outages are printed. */
interface OutageLook {
  /** They are not certain. */
  readonly possible?: boolean;
  readonly all: boolean;
}

/** The outages of a group in one sentence: `create Jobs in all namespaces: jobs.example.com; start time unknown`. */
function outageText(
  title: string,
  outages: readonly OutageReport[],
  report: Pick<DoctorReport, 'callouts' | 'stories' | 'takenAt'>,
  { possible = false, all }: OutageLook,
): OutageText {
  const { callouts } = report;
  const nameOf = shortNames(callouts);
  const found = outageGroups(outages, report).map((group) => {
    const subject = callouts.length === 1 ? '' : who(group.callouts, nameOf);
    const fix = possible || callouts.length === 1 ? '' : whatToFix(group);
    const { start } = group;
    return { text: whatOf(group.outages, `${subject}${fix}`, all), start };
  });
  if (possible) return { title, texts: found.map(({ text }) => text) };
  const [first, ...others] = new Set(found.map(({ start }) => start));
  // Printed once if it applies to all.
  if (first !== undefined && others.length === 0 && found.length > 1)
    return { title, note: `(${first})`, texts: found.map(({ text }) => text) };
  const areSomeUnknown = others.length > 0 && found.some(({ start }) => start === startUnknown);
  return {
    title,
    ...(areSomeUnknown ? { note: '(start time given where known)' } : {}),
    texts: found.map(({ text, start }) =>
      areSomeUnknown && start === startUnknown ? text : `${text}; ${start}`,
    ),
  };
}

const isSoon = ({ notYet }: OutageReport): boolean => notYet === true;
const isNow = (outage: OutageReport): boolean => !isSoon(outage);

/** Blocked, unchecked and unknown requests; empty ones are omitted. `all`: with each consequence for the cluster. */
export function outageSections(report: DoctorReport, all = true) {
  const { blocked, unchecked, possiblyBlocked } = report;
  const look = { all };
  return [
    { ...outageText('Blocked now', blocked.filter(isNow), report, look), state: 'failing' },
    { ...outageText('Blocked soon', blocked.filter(isSoon), report, look), state: 'degraded' },
    { ...outageText('Unchecked now', unchecked.filter(isNow), report, look), state: 'degraded' },
    { ...outageText('Unchecked soon', unchecked.filter(isSoon), report, look), state: 'degraded' },
    { ...outageText('Possibly blocked', possiblyBlocked, report, { all, possible: true }), state: 'unknown' },
  ].filter(({ texts }) => texts.length > 0);
}

/** A kind of outage for a terminal. */
export function outageLines(
  { title, note = '', texts }: OutageText,
  { paint, marks, width }: Style,
  all: boolean,
): string[] {
  const [only = '', ...others] = texts;
  if (others.length === 0) return wrap(only, width, `${paint.bold(title)}  `, '  ');
  const lines = texts.map((text) => wrap(text, width, `  ${marks.dot} `, '    ').join('\n'));
  return [
    `${paint.bold(title)} ${note}`.trimEnd(),
    ...cut(lines, all ? undefined : mostLines, (rest) => `  ${andMore(rest, '--details lists them')}`),
  ];
}
