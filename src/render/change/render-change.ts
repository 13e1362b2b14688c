import { wholeSeconds } from '../../basics/time.ts';
import type { ChangeEntry, ChangeReport, ChangeState } from '../../change/change-report.ts';
import { listed } from '../../phrases/lists.ts';
import { labelled } from '../terminal/labelled.ts';
import { joinedSections, type Style, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import { labels } from '../text/labels.ts';
import type { Look } from '../text/look.ts';

/** A unified diff in the usual colours. Context lines are cut to one row each: one may be a caBundle. */
export function diffLines(diff: string, { paint, width }: Style): string[] {
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (/^(---|\+\+\+) /.test(line)) return paint.bold(line);
      if (line.startsWith('@@')) return paint.cyan(line);
      if (line.startsWith('+')) return paint.green(line);
      if (line.startsWith('-')) return paint.red(line);
      return line.length > width ? `${line.slice(0, width - 3)}...` : line;
    });
}

const words: Readonly<Record<ChangeState, string>> = {
  planned: 'planned, nothing was changed',
  applied: 'changed, but not as expected',
  verified: 'changed',
  refused: 'refused, nothing was changed',
  undone: 'undone',
  unknown: 'result unknown',
};

function mark(state: ChangeState, { marks, paint }: Style): string {
  switch (state) {
    case 'verified':
    case 'undone':
      return paint.green(marks.good);
    case 'refused':
      return paint.red(marks.bad);
    case 'planned':
      return paint.cyan(marks.info);
    default:
      return paint.yellow(marks.warning);
  }
}

/** Renders a planned change with its warnings and its diff, before the confirmation prompt. */
export function renderPreview(planned: ChangeEntry, look: Look): string {
  const style = styleOf(look);
  const { summary, warnings = [], diff = '', until } = harmlessDocument(planned, look.unicode);
  const lines = [
    ...warnings.map((text) => [labels.warning, text] as const),
    ['Until', until && wholeSeconds(until)] as const,
  ];
  return [
    ...wrap(style.paint.bold(summary), style.width),
    ...labelled(lines, style),
    '',
    ...diffLines(diff, style),
    '',
    '',
  ].join('\n');
}

/** The facts of a change after its head, each with a label. */
function entryRows({ state, steps, why, checked = [], allow = [], warnings = [], ...entry }: ChangeEntry) {
  const { id, at, by, knownBy, reason, print, until, undo } = entry;
  const author = by === undefined ? '' : ` by ${by}`;
  const recorded = knownBy && `${id}, made ${wholeSeconds(at)}${author}, recorded in ${listed(knownBy)}`;
  // The preview already showed the warnings of a change that is being made.
  const shown = print === undefined && state !== 'planned' ? [] : warnings;
  return [
    ['Change', recorded],
    ['Reason', state === 'refused' || isUnchanged({ state, steps }) ? undefined : reason],
    ['Why', why],
    ...shown.map((text) => [labels.warning, text] as const),
    ...allow.map((rule) => ['Allow', JSON.stringify(rule)] as const),
    ...checked.filter((text) => !why?.includes(text)).map((text) => ['Result', text] as const),
    ['Until', state === 'refused' || state === 'undone' ? undefined : until && wholeSeconds(until)],
    ['Undo', undo],
  ] as const;
}

const isUnchanged = ({ state, steps }: Pick<ChangeEntry, 'state' | 'steps'>): boolean =>
  state === 'verified' && steps.length === 0;

function entryLines(entry: ChangeEntry, style: Style, withDiff: boolean): string[] {
  const { state, summary, diff, print } = entry;
  const done = isUnchanged(entry) ? 'unchanged' : words[state];
  const head = `${mark(state, style)} ${style.paint.bold(done)} ${style.marks.dot} ${summary}`;
  return [
    ...wrap(head, style.width, '', '  '),
    ...labelled(entryRows(entry), style),
    ...(withDiff && diff !== undefined ? ['', ...diffLines(diff, style)] : []),
    ...(print === undefined ? [] : ['', ...print.trimEnd().split('\n')]),
  ];
}

/** Renders the report as text. Ends with a line feed. */
export function renderChanges(report: ChangeReport, look: Look, none: string): string {
  const style = styleOf(look);
  const blocks = report.changes.map((entry) =>
    entryLines(harmlessDocument(entry, look.unicode), style, entry.state === 'planned'),
  );
  const nothing = report.changes.length === 0 ? [[none]] : [];
  const unread = harmlessDocument(report.notLookedAt ?? [], look.unicode);
  const missing = unread.map(({ what, why }) => `Not read for records of changes: ${what} (${why})`);
  return joinedSections([...blocks, ...nothing, missing]);
}
