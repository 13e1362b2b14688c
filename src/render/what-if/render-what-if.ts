import { andMore } from '../../phrases/lists.ts';
import type { WhatIfReport } from '../../what-if/what-if-report.ts';
import { harmlessDocument } from '../harmless.ts';
import type { Look } from '../look.ts';
import { escaped } from '../markdown/render-markdown.ts';
import { cut } from '../terminal/cut.ts';
import { foldingTable } from '../terminal/folding-table.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';
import { answerText, type Item, registerHeadings, registerRow, sectionsOf, statesText } from './sections.ts';

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
  `What if ${assume.map(({ text }) => text).join(', ')}? (${cluster.context ?? cluster.server})`;

/** Rows of the risk register that fit two screens. */
const mostRows = 25;

function registerLines({ ranking }: WhatIfReport, style: Style): readonly string[] {
  if (ranking === undefined) return [];
  const [rank, effect, name, ready, own, stops] = registerHeadings;
  const row = (cells: ReturnType<typeof registerRow>) => ({
    before: [cells[rank], cells[effect]],
    name: cells[name],
    after: [cells[ready], cells[own], cells[stops]],
  });
  const headings = { before: [rank, effect], name, after: [ready, own, stops] };
  const rows = ranking.map(registerRow).map((cells) => ({ ...row(cells), below: cells.BLOCKS }));
  const [head = '', ...lines] = foldingTable(headings, rows, style);
  const shown = cut(lines, mostRows, (hidden) => andMore(hidden, '-o json lists them'));
  return ['', style.paint.bold('Risk register: the loss of each backend alone'), head, ...shown];
}

/** The answer, for people. */
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
    ...registerLines(report, style),
    '',
    ...wrap(`${paint.bold(answerText(report))} (${statesText(report)})`, width, '', '  '),
    ...(report.notLookedAt.length === 0 ? [] : ['', ...notLookedAtLines(report.notLookedAt, style, false)]),
    '',
  ].join('\n');
}

/** The same as Markdown. */
export function renderWhatIfMarkdown(given: WhatIfReport): string {
  const report = harmlessDocument(given, true);
  const lines = ({ head, details }: Item): readonly string[] => [
    `- **${escaped(head)}**`,
    ...details.map(([label, text]) => `  - ${label}: ${escaped(text)}`),
  ];
  const cells = (texts: readonly string[]): string => `| ${texts.map((text) => escaped(text)).join(' | ')} |`;
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
    `## ${escaped(titleOf(report))}`,
    '',
    `${escaped(answerText(report))} (${statesText(report)})`,
    ...sectionsOf(report).flatMap(({ title, items }) => ['', `### ${title}`, '', ...items.flatMap(lines)]),
    ...(register.length === 0 ? [] : table),
    ...report.notLookedAt
      .slice(0, 1)
      .map(() => `\n${report.notLookedAt.length} reads were not possible: see \`-o json\``),
  ].join('\n')}\n`;
}
