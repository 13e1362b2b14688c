import { effects } from '../../diagnose/report.ts';
import { andMore, listed } from '../../phrases/lists.ts';
import type { RankedLoss, WhatIfReport } from '../../what-if/what-if-report.ts';
import { reportDocument } from '../data-formats/document.ts';
import { type DataFormat, documentList, isDataFormat } from '../data-formats/print-document.ts';
import { escapedMarkdown } from '../markdown/render-markdown.ts';
import { type FoldingRow, foldingTable } from '../terminal/folding-table.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { cut, type Style, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';
import {
  conclusionText,
  type Item,
  registerHeadings,
  registerRow,
  sectionsOf,
  statesText,
} from './sections.ts';

const colours = { good: 'green', bad: 'red', warning: 'yellow', unknown: 'yellow', open: 'dim' } as const;

function itemLines({ mark, head, details }: Item, { marks, paint, width }: Style): readonly string[] {
  const [first = '', ...rest] = wrap(head, width, '    ');
  const column = Math.max(0, ...details.map(([label]) => label.length)) + 2;
  const indent = ' '.repeat(6 + column);
  return [
    `  ${paint[colours[mark]](marks[mark])} ${paint.bold(first.trimStart())}`,
    ...rest,
    ...details.flatMap(([label, text]) => {
      const [line = '', ...more] = wrap(text, width, indent);
      return [`      ${label}${' '.repeat(column - label.length)}${line.trimStart()}`, ...more];
    }),
  ];
}

const titleOf = ({ cluster, assume }: WhatIfReport): string =>
  `What if ${listed(assume.map(({ text }) => text))}? (${cluster.context ?? cluster.server})`;

/** Maximum rows of the risk register: two screens. */
const mostRows = 25;

const [rank, effect, name, ready, own, stops] = registerHeadings;

/** A row of the register. `before`: its first cells. */
function registerLine(loss: RankedLoss, before: readonly string[] = []): FoldingRow {
  const cells = registerRow(loss);
  return {
    before: [...before, cells[rank], cells[effect]],
    name: cells[name],
    after: [cells[ready], cells[own], cells[stops]],
    ...(cells.BLOCKS === '' ? {} : { below: cells.BLOCKS }),
  };
}

function registerTable(
  rows: readonly FoldingRow[],
  style: Style,
  before: readonly string[] = [],
): readonly string[] {
  const someStop = rows.some(({ after }) => after[2] !== '');
  const after = [ready, own, ...(someStop ? [stops] : [])];
  const headings = { before: [...before, rank, effect], name, after };
  const [head = '', ...lines] = foldingTable(headings, rows, style);
  const shown = cut(lines, mostRows, (hidden) => andMore(hidden, '-o json lists them'));
  return ['', style.paint.bold('Risk register: the loss of each backend alone'), head, ...shown];
}

/** Renders the report as text. */
export function renderWhatIf(given: WhatIfReport, look: Look): string {
  const style = styleOf(look);
  const report = harmlessDocument(given, look.unicode);
  const { paint, width } = style;
  return [
    ...wrap(titleOf(report), width, '', '  '),
    ...sectionsOf(report).flatMap(({ title, items }) => [
      '',
      paint.bold(title),
      ...items.flatMap((item) => itemLines(item, style)),
    ]),
    ...(report.ranking === undefined
      ? []
      : registerTable(
          report.ranking.map((loss) => registerLine(loss)),
          style,
        )),
    '',
    ...wrap(`${paint.bold(conclusionText(report))} (${statesText(report)})`, width, '', '  '),
    ...(report.notLookedAt.length === 0 ? [] : ['', ...notLookedAtLines(report.notLookedAt, style, false)]),
    '',
  ].join('\n');
}

/** A line for one of several clusters without changes or with an error. */
const clusterLine = (report: WhatIfReport): string =>
  `${report.cluster.context ?? report.cluster.server}: ${report.cluster.error ?? conclusionText(report)}`;

/** Renders several clusters as one document. Their risk registers are merged, the worst loss first. */
export async function renderWhatIfs(
  given: readonly WhatIfReport[],
  format: DataFormat | 'html' | 'markdown' | undefined,
  look: Look,
): Promise<Iterable<string>> {
  if (isDataFormat(format)) return documentList(given.map(reportDocument), format);
  const reports = harmlessDocument(given, format === 'markdown' || look.unicode);
  const read = given.filter(({ cluster }) => cluster.error === undefined);
  if (format === 'markdown')
    return [
      reports.map((report) => `- ${escapedMarkdown(clusterLine(report))}\n`).join(''),
      ...read.map((report) => `\n${renderWhatIfMarkdown(report)}`),
    ];
  const style = styleOf(look);
  const lines = reports.flatMap((report) => wrap(clusterLine(report), style.width, '', '  '));
  const losses = reports
    .flatMap(({ ranking = [], cluster: { context = '' } }) => ranking.map((loss) => ({ loss, context })))
    .toSorted(
      ({ loss: a }, { loss: b }) =>
        effects.indexOf(a.effect) - effects.indexOf(b.effect) ||
        b.stops.length - a.stops.length ||
        a.rank - b.rank,
    )
    .map(({ loss, context }, at) => registerLine({ ...loss, rank: at + 1 }, [context]));
  if (losses.length > 0) return [[...lines, ...registerTable(losses, style, ['CLUSTER']), ''].join('\n')];
  return [`${lines.join('\n')}\n`, ...read.map((report) => `\n${renderWhatIf(report, look)}`)];
}

/** Renders the report as Markdown. */
export function renderWhatIfMarkdown(given: WhatIfReport): string {
  const report = harmlessDocument(given, true);
  const lines = ({ head, details }: Item): readonly string[] => [
    `- **${escapedMarkdown(head)}**`,
    ...details.map(([label, text]) => `  - ${label}: ${escapedMarkdown(text)}`),
  ];
  const cells = (texts: readonly string[]): string =>
    `| ${texts.map((text) => escapedMarkdown(text)).join(' | ')} |`;
  const register = (report.ranking ?? []).map(registerRow);
  const table = [
    '',
    '### Risk register: the loss of each backend alone',
    '',
    cells(registerHeadings),
    cells(registerHeadings.map(() => '---')),
    ...register.map((row) => cells(registerHeadings.map((heading) => row[heading]))),
  ];
  return `${[
    `## ${escapedMarkdown(titleOf(report))}`,
    '',
    `${escapedMarkdown(conclusionText(report))} (${statesText(report)})`,
    ...sectionsOf(report).flatMap(({ title, items }) => ['', `### ${title}`, '', ...items.flatMap(lines)]),
    ...(register.length === 0 ? [] : table),
    ...report.notLookedAt
      .slice(0, 1)
      .map(() => `\n${report.notLookedAt.length} reads were not possible: see \`-o json\``),
  ].join('\n')}\n`;
}
