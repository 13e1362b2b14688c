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

/** `9 webhooks, fix all of them`, or who it is. */
function who({ callouts }: OutageReport, nameOf: (id: string) => string): string {
  if (callouts.length > mostNamed) return `${callouts.length} webhooks, fix all of them`;
  return `${listed(callouts.map(nameOf))}${callouts.length > 1 ? ', fix both' : ''}`;
}

/** What the same callouts do, in one sentence: `create Jobs in every namespace: jobs.example.com; onset unknown`. */
export function outageTexts(
  outages: readonly OutageReport[],
  { callouts, takenAt }: Pick<DoctorReport, 'callouts' | 'takenAt'>,
): readonly string[] {
  const nameOf = shortNames(callouts);
  return [...groupBy(outages, (outage) => outage.callouts.toSorted().join(' ')).values()].map((same) => {
    const [first] = same;
    const since = same.flatMap((outage) => outage.since ?? []).sort()[0];
    const onset = since === undefined ? 'onset unknown' : `first seen ${spanText(takenAt, since)}`;
    const whom = callouts.length === 1 ? '' : `: ${who(first, nameOf)}`;
    return `${same.map(({ what }) => what).join('; ')}${whom}; ${onset}`;
  });
}

/** What nobody can do now, or what passes unchecked; nothing where that is nothing. */
export function outageLines(
  title: string,
  outages: readonly OutageReport[],
  report: DoctorReport,
  { paint, marks, width }: Style,
  all: boolean,
): string[] {
  const texts = outageTexts(outages, report);
  const [only = ''] = texts;
  if (texts.length < 2) return only === '' ? [] : wrap(only, width, `${paint.bold(title)}  `, '  ');
  const lines = texts.map((text) => wrap(text, width, `  ${marks.dot} `, '    ').join('\n'));
  return [
    paint.bold(title),
    ...cut(lines, all ? undefined : mostLines, (rest) => `  ${andMore(rest, '--details lists them')}`),
  ];
}
