import stringWidth from 'string-width';
import type { CalloutReport, CalloutState, DoctorReport, OpenedReport } from '../../diagnose/report.ts';
import { calloutId, shortNames } from '../../facts/callout.ts';
import { counted } from '../../phrases/numbers.ts';
import { spanText } from '../certificates/span.ts';
import type { Story } from '../stories.ts';
import { cut } from './cut.ts';
import type { Style } from './style.ts';
import { wrap } from './wrap.ts';

/** Rows of the first screen. */
const most = 15;

export const stateWord = (state: CalloutState, { paint, marks }: Style): string =>
  ({
    failing: paint.red(`${marks.bad} failing`),
    degraded: paint.yellow(`${marks.warning} degraded`),
    unknown: paint.magenta(`${marks.unknown} unknown`),
    healthy: paint.green(`${marks.good} healthy`),
  })[state];

/** `failed open by you, 12 min left: kubectl webhook undo …`. */
export function openedText({ at, until, undo }: OpenedReport, takenAt: string): string {
  const over = until !== undefined && Date.parse(until) < Date.parse(takenAt);
  const left =
    until === undefined
      ? `since ${at}`
      : over
        ? `overdue since ${until}`
        : `${spanText(takenAt, until).replace(/^in /, '')} left`;
  return `failed open by you, ${left}: ${undo}`;
}

/** What a broken callout blocks or lets pass, in a few words, by its id. */
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
    const all = found.find((text) => text.startsWith('any resource'));
    const [first = 'nothing', ...others] = all === undefined ? found : [all];
    const text = others.length === 0 ? first : `${first} +${others.length}`;
    // What passes unchecked is told above: nothing is blocked.
    return verdict.effect === 'blocks' ? text : '-';
  };
}

/** One row per broken callout, the widest outage first. Names are never cut: a row that does not fit takes two lines. */
export function brokenTable(
  stories: readonly Story[],
  report: DoctorReport,
  style: Style,
  all: boolean,
): string[] {
  const { paint, width } = style;
  const nameOf = shortNames(report.callouts);
  const blocks = blockedBy(report);
  const rows = stories.flatMap(({ callouts, cause }) =>
    callouts.map((callout, at) => {
      const { verdict, failurePolicy = '-', opened } = callout;
      const because = cause?.check ?? verdict.because[0] ?? '-';
      return {
        cells: [
          opened === undefined
            ? stateWord(verdict.state, style)
            : paint.yellow(`${style.marks.warning} open`),
          nameOf(calloutId(callout)),
          failurePolicy,
          blocks(callout),
          at === 0 ? because : 'same cause',
        ],
        opened,
      };
    }),
  );
  // One block says it all.
  if (stories.length < 2 && !rows.some(({ opened }) => opened !== undefined)) return [];
  const headings = ['STATUS', 'NAME', 'POLICY', 'BLOCKS', 'CAUSE'];
  const table = [headings, ...rows.map(({ cells }) => cells)];
  const wide = headings.map((_, at) => Math.max(...table.map((cells) => stringWidth(cells[at] ?? ''))));
  const others = wide.reduce((sum, columns) => sum + columns + 2, -2) - (wide[1] ?? 0);
  const column = Math.max(Math.min(wide[1] ?? 0, width - others), headings[1]?.length ?? 0);
  const pad = (text: string, columns: number): string =>
    text + ' '.repeat(Math.max(columns - stringWidth(text), 0));
  const line = ([status = '', name = '', ...rest]: readonly string[]): string[] => {
    const behind = rest
      .map((cell, at) => pad(cell, wide[at + 2] ?? 0))
      .join('  ')
      .trimEnd();
    const front = `${pad(status, wide[0] ?? 0)}  `;
    const whole = `${front}${pad(name, column)}  ${behind}`;
    const used = stringWidth(front) + column + 2;
    if (stringWidth(name) <= column && stringWidth(whole) <= width) return [whole];
    const indent = used + stringWidth(behind) <= width ? used : stringWidth(front);
    return [`${front}${name}`, `${' '.repeat(indent)}${indent === used ? behind : rest.join('  ')}`];
  };
  const lines = rows.map(({ cells, opened }) =>
    [
      ...line(cells),
      ...(opened === undefined
        ? []
        : wrap(openedText(opened, report.takenAt), width, ' '.repeat((wide[0] ?? 0) + 2))),
    ].join('\n'),
  );
  return [
    ...line(headings).map((text) => paint.bold(text)),
    ...cut(
      lines,
      all ? undefined : most,
      (hidden) => `and ${counted(hidden, 'more', 'more')} (--details lists them)`,
    ),
  ];
}
