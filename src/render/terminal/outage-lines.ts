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

/** `9 webhooks`, or who it is. */
const who = ({ callouts }: OutageReport, nameOf: (id: string) => string): string =>
  callouts.length > mostNamed ? `${callouts.length} webhooks` : listed(callouts.map(nameOf));

/** What it takes to end it. */
const whole = ({ callouts: { length } }: OutageReport): string =>
  length < 2 ? '' : length > mostNamed ? ', fix all of them' : ', fix both';

/**
 * What the same callouts do, in one sentence: `create Jobs in every namespace: jobs.example.com; onset unknown`.
 *
 * @param possible nobody knows whether they do: there is no onset, and nothing to fix.
 */
export function outageTexts(
  outages: readonly OutageReport[],
  { callouts, takenAt }: Pick<DoctorReport, 'callouts' | 'takenAt'>,
  possible = false,
): readonly string[] {
  const nameOf = shortNames(callouts);
  return [...groupBy(outages, (outage) => outage.callouts.toSorted().join(' ')).values()].map((same) => {
    const [first] = same;
    const since = same.flatMap((outage) => outage.since ?? []).sort()[0];
    const onset = since === undefined ? 'onset unknown' : `first seen ${spanText(takenAt, since)}`;
    const whom = callouts.length === 1 ? '' : `: ${who(first, nameOf)}`;
    const text = `${same.map(({ what }) => what).join('; ')}${whom}`;
    return possible ? text : `${text}${callouts.length === 1 ? '' : whole(first)}; ${onset}`;
  });
}

/** What nobody can do now, or what passes unchecked; nothing where that is nothing. */
export function outageLines(
  title: string,
  texts: readonly string[],
  { paint, marks, width }: Style,
  all: boolean,
): string[] {
  const [only = ''] = texts;
  if (texts.length < 2) return only === '' ? [] : wrap(only, width, `${paint.bold(title)}  `, '  ');
  const lines = texts.map((text) => wrap(text, width, `  ${marks.dot} `, '    ').join('\n'));
  return [
    paint.bold(title),
    ...cut(lines, all ? undefined : mostLines, (rest) => `  ${andMore(rest, '--details lists them')}`),
  ];
}
