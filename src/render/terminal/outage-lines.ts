import type { DoctorReport, OutageReport } from '../../diagnose/report.ts';
import { shortNames } from '../../facts/callout.ts';
import { groupBy } from '../../facts/group-by.ts';
import { secondsSince } from '../../facts/seconds.ts';
import { shortDuration, spanText } from '../../phrases/durations.ts';
import { andMore, listed } from '../../phrases/lists.ts';
import { cut } from './cut.ts';
import type { Style } from './style.ts';
import { wrap } from './wrap.ts';

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

/**
 * `: 9 webhooks, fix all of them`, or their names; empty if the sentence already names the API of the only
 * one.
 */
function who({ callouts: [first = '', ...others] }: OutageReport, nameOf: (id: string) => string): string {
  const all = [first, ...others];
  if (others.length === 0) return /^(apiservice|crd)\//.test(first) ? '' : `: ${nameOf(first)}`;
  return all.length > mostNamed ? `: ${all.length} webhooks` : `: ${listed(all.map(nameOf))}`;
}

/** Number of webhooks to fix before it ends. */
const webhookCount = ({ callouts: { length } }: OutageReport): string =>
  length < 2 ? '' : length > mostNamed ? ', fix all of them' : ', fix both';

/** What is refused, and in parentheses what the cluster cannot do without it. */
function whatOf(same: readonly OutageReport[]): string {
  const [requests, system] = (['requests', 'system'] as const).map((wanted) =>
    same
      .filter(({ kind }) => kind === wanted)
      .map(({ what }) => what)
      .join('; '),
  );
  return requests && system ? `${requests} (${system})` : `${requests}${system}`;
}

/** When it began, as far as a fact shows: `first seen 20 minutes ago`, `Pods down for 2 h`. */
function startText({ since, sign }: OutageReport, takenAt: string): string {
  if (since === undefined) return startUnknown;
  const age = shortDuration(Math.round(secondsSince(since, takenAt) ?? 0));
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
      return `first seen ${spanText(takenAt, since)}`;
  }
}

/**
 * The outages of the same webhooks in one sentence: `create Jobs in all namespaces: jobs.example.com; start
 * time unknown`.
 */
function outageText(
  title: string,
  outages: readonly OutageReport[],
  { callouts, takenAt }: Pick<DoctorReport, 'callouts' | 'takenAt'>,
  possible: boolean,
): OutageText {
  const nameOf = shortNames(callouts);
  const groups = [...groupBy(outages, (outage) => outage.callouts.toSorted().join(' ')).values()];
  const found = groups.map((same) => {
    const [first] = same;
    const start = startText(first, takenAt);
    const subject = callouts.length === 1 ? '' : who(first, nameOf);
    const text = `${whatOf(same)}${subject}`;
    return { text: possible || callouts.length === 1 ? text : `${text}${webhookCount(first)}`, start };
  });
  if (possible) return { title, texts: found.map(({ text }) => text) };
  // Printed once if it applies to several.
  const unknown = found.filter(({ start }) => start === startUnknown).length;
  const once = unknown > 1;
  return {
    title,
    ...(once ? { note: `(${startUnknown}${unknown === found.length ? '' : ' unless given'})` } : {}),
    texts: found.map(({ text, start }) => (once && start === startUnknown ? text : `${text}; ${start}`)),
  };
}

/** Blocked, unchecked and unknown requests; empty ones are omitted. */
export const outageSections = (report: DoctorReport) =>
  [
    { ...outageText('Blocked now', report.blocked, report, false), state: 'failing' },
    { ...outageText('Unchecked now', report.unchecked, report, false), state: 'degraded' },
    { ...outageText('Possibly blocked', report.possiblyBlocked, report, true), state: 'unknown' },
  ].filter(({ texts }) => texts.length > 0);

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
