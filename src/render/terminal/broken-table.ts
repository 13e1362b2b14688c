import { wholeSeconds } from '../../basics/time.ts';
import type { CalloutReport, CalloutState, DoctorReport, OpenedReport } from '../../diagnose/report.ts';
import { calloutId, shortNames } from '../../facts/callout.ts';
import { durationText } from '../../phrases/durations.ts';
import { andMore, isAnyResource } from '../../phrases/lists.ts';
import { causeText, type Story } from '../resolved-stories.ts';
import { type FoldingRow, foldingTable } from './folding-table.ts';
import { heightOf, type Style } from './style.ts';

/** Maximum number of rows on the first screen. */
const most = 13;

/** A state with its mark and color: `✖ failing`. */
export const stateWord = (state: CalloutState, { paint, marks }: Style): string =>
  ({
    failing: paint.red(`${marks.bad} failing`),
    degraded: paint.yellow(`${marks.warning} degraded`),
    unknown: paint.magenta(`${marks.unknown} unknown`),
    healthy: paint.green(`${marks.good} healthy`),
  })[state];

/** `failed open by you, 12 min left: kubectl webhook undo …`. */
export function openedText({ at, until, by = 'you', reason, undo }: OpenedReport, takenAt: string): string {
  const remaining = (end: string): string =>
    Date.parse(end) < Date.parse(takenAt)
      ? `overdue since ${wholeSeconds(end)}`
      : `${durationText(Date.parse(end) - Date.parse(takenAt))} left`;
  const left = until === undefined ? `since ${wholeSeconds(at)}` : remaining(until);
  return `failed open by ${by}${reason === undefined ? '' : ` (${reason})`}, ${left}: ${undo}`;
}

/** What a broken webhook blocks or admits unchecked, in a few words, by its id. */
export function blockedBy({ blocked, unchecked }: Pick<DoctorReport, 'blocked' | 'unchecked'>) {
  const texts = new Map<string, string[]>();
  for (const { callouts, resources = [], namespaces, which } of [...blocked, ...unchecked]) {
    const some = which === 'some' ? 'some ' : '';
    const part =
      namespaces === undefined || namespaces.covered === namespaces.total
        ? ''
        : ` (${namespaces.covered}/${namespaces.total} ns)`;
    for (const id of callouts)
      texts.set(id, [...(texts.get(id) ?? []), ...resources.map((resource) => `${some}${resource}${part}`)]);
  }
  return (callout: CalloutReport): string => {
    const { kind, verdict } = callout;
    if (verdict.state === 'unknown') return 'unknown';
    if (kind === 'aggregated-api') return 'its API';
    const found = [...new Set(texts.get(calloutId(callout)) ?? [])];
    const all = found.find(isAnyResource);
    const [first = 'nothing', ...others] = all === undefined ? found : [all];
    const text = others.length === 0 ? first : `${first} +${others.length}`;
    // Unchecked requests are printed above: nothing is blocked.
    return verdict.effect === 'blocks' ? text : '-';
  };
}

/** A row of the table, and the text of its cause. */
export interface BrokenRow extends FoldingRow {
  readonly cause: string;
  /** The first one of its cause: the number of other webhooks with this cause. */
  readonly others?: number;
}

/** Rows for the first webhook of each cause, if there is no room for all webhooks. */
function fewRows(rows: readonly BrokenRow[]): readonly BrokenRow[] {
  if (rows.length <= most) return rows;
  const firsts = rows.flatMap((row, at) => {
    const { others, name } = row;
    if (others === undefined) return [];
    if (others === 0) return row;
    // Each change has its own command.
    const alike = rows.slice(at, at + others + 1);
    const below = [...new Set(alike.flatMap((one) => one.below ?? []))].join('\n');
    return { ...row, name: `${name} ${andMore(others)}`, ...(below === '' ? {} : { below }) };
  });
  return firsts.slice(0, most);
}

/** One row per broken webhook. */
export function brokenRows(stories: readonly Story[], report: DoctorReport, style: Style): BrokenRow[] {
  const nameOf = shortNames(report.callouts);
  const blocks = blockedBy(report);
  return stories.flatMap(({ callouts, cause }) =>
    callouts.map((callout, at) => {
      const { verdict, failurePolicy = '-', opened } = callout;
      const open = style.paint.yellow(`${style.marks.warning} open`);
      return {
        before: [opened === undefined ? stateWord(verdict.state, style) : open],
        name: nameOf(calloutId(callout)),
        after: [failurePolicy, blocks(callout)],
        cause: at === 0 ? causeText(cause, callout) : 'same cause',
        ...(at === 0 ? { others: callouts.length - 1 } : {}),
        ...(opened === undefined ? {} : { below: openedText(opened, report.takenAt) }),
      };
    }),
  );
}

/** Rows under their headings, limited unless all are requested. The cause is last, or on its own line. */
export function brokenLines(
  rows: readonly BrokenRow[],
  style: Style,
  all: boolean,
  before: readonly string[] = [],
): string[] {
  const shown = all ? rows : fewRows(rows);
  const left = shown.reduce((rest, { others = 0 }) => rest - 1 - (shown === rows ? 0 : others), rows.length);
  const headings = { before: ['STATUS', ...before], name: 'NAME', after: ['POLICY', 'BLOCKS'] };
  const inColumn = foldingTable(
    { ...headings, after: [...headings.after, 'CAUSE'] },
    shown.map((row) => ({ ...row, after: [...row.after, row.cause] })),
    style,
  );
  const below = foldingTable(
    { ...headings, below: 'CAUSE' },
    shown.map((row) => ({ ...row, below: [row.cause, row.below].filter(Boolean).join('\n') })),
    style,
  );
  return [
    // In the layout with causes below, the heading needs one line more.
    ...(heightOf(inColumn) < heightOf(below) - 1 ? inColumn : below),
    ...(left === 0 ? [] : [andMore(left, '--details lists them')]),
  ];
}

/** The table of one cluster, the widest outage first. */
export function brokenTable(
  stories: readonly Story[],
  report: DoctorReport,
  style: Style,
  all: boolean,
): string[] {
  const rows = brokenRows(stories, report, style);
  // A single block contains the same information.
  if (stories.length < 2 && !rows.some(({ below }) => below !== undefined)) return [];
  return brokenLines(rows, style, all);
}
