import type { WhatIfReport } from '../../what-if/what-if-report.ts';
import { harmlessDocument } from '../harmless.ts';
import type { Look } from '../look.ts';
import { escaped } from '../markdown/render-markdown.ts';
import { notLookedAtLines } from '../terminal/not-looked-at.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';
import { answerText, countsText, type Item, sectionsOf } from './sections.ts';

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

const countsOf = ({ before, after }: WhatIfReport): string =>
  `before: ${countsText(before.callouts)}; after: ${countsText(after.callouts)}`;

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
    '',
    ...wrap(`${paint.bold(answerText(report))} (${countsOf(report)})`, width, '', '  '),
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
  return `${[
    `## ${escaped(titleOf(report))}`,
    '',
    `${escaped(answerText(report))} (${countsOf(report)})`,
    ...sectionsOf(report).flatMap(({ title, items }) => ['', `### ${title}`, '', ...items.flatMap(lines)]),
    ...report.notLookedAt
      .slice(0, 1)
      .map(() => `\n${report.notLookedAt.length} reads were not possible: see \`-o json\``),
  ].join('\n')}\n`;
}
