import type { DoctorReport, OutageReport } from '../../diagnose/report.ts';
import { shortNames } from '../../facts/callout.ts';
import { groupBy } from '../../facts/group-by.ts';
import { spanText } from '../../phrases/durations.ts';
import { andMore, listed } from '../../phrases/lists.ts';
import { cut } from './cut.ts';
import type { Style } from './style.ts';
import { wrap } from './wrap.ts';

/** Names in a line; whoever is alone is always named. */
const mostNamed = 2;
const mostLines = 6;
const onsetUnknown = 'onset unknown';

/** One kind of outage: its heading, and a sentence for the same webhooks each. */
export interface OutageText {
  readonly title: string;
  /** `(onset unknown)`: what holds for all of them that do not say otherwise. */
  readonly note?: string;
  readonly texts: readonly string[];
}

/** `: 9 webhooks, fix all of them`, or which; nothing where the sentence names the API that the only one serves. */
function who({ callouts: [first = '', ...others] }: OutageReport, nameOf: (id: string) => string): string {
  const all = [first, ...others];
  if (others.length === 0) return /^(apiservice|crd)\//.test(first) ? '' : `: ${nameOf(first)}`;
  return all.length > mostNamed ? `: ${all.length} webhooks` : `: ${listed(all.map(nameOf))}`;
}

/** What it takes to end it. */
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

/** What the same callouts do, in one sentence: `create Jobs in every namespace: jobs.example.com; onset unknown`. */
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
    const since = same.flatMap((outage) => outage.since ?? []).sort()[0];
    const onset = since === undefined ? onsetUnknown : `first seen ${spanText(takenAt, since)}`;
    const whom = callouts.length === 1 ? '' : who(first, nameOf);
    const text = `${whatOf(same)}${whom}`;
    return { text: possible || callouts.length === 1 ? text : `${text}${webhookCount(first)}`, onset };
  });
  if (possible) return { title, texts: found.map(({ text }) => text) };
  // Said once where it holds for several.
  const unknown = found.filter(({ onset }) => onset === onsetUnknown).length;
  const once = unknown > 1;
  return {
    title,
    ...(once ? { note: `(${onsetUnknown}${unknown === found.length ? '' : ' unless given'})` } : {}),
    texts: found.map(({ text, onset }) => (once && onset === onsetUnknown ? text : `${text}; ${onset}`)),
  };
}

/** What nobody can do now, what passes unchecked, and what nobody knows: those that there are. */
export const outageSections = (report: DoctorReport) =>
  [
    { ...outageText('Blocked now', report.blocked, report, false), state: 'failing' },
    { ...outageText('Unchecked now', report.unchecked, report, false), state: 'degraded' },
    { ...outageText('Possibly blocked', report.possiblyBlocked, report, true), state: 'unknown' },
  ].filter(({ texts }) => texts.length > 0);

/** One kind of outage for a terminal. */
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
