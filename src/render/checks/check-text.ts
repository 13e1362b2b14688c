import { groupBy } from '../../basics/collections.ts';
import { adviceLines } from '../terminal/advice-text.ts';
import { joinedSections, styleOf, wrap } from '../terminal/style.ts';
import { harmlessDocument } from '../text/harmless.ts';
import type { Look } from '../text/look.ts';
import { type CheckDocument, type CheckList, linkTitles } from './check-document.ts';

/** The checks as a table with a part per link of the chain. `wide` adds the checks that explain each. */
export function renderCheckTable(list: CheckList, look: Look & { readonly wide: boolean }): string {
  const { checks } = harmlessDocument(list, look.unicode);
  const { paint, width } = styleOf(look);
  const paints = { error: paint.red, warning: paint.yellow, info: paint.dim };
  const column = Math.max(0, ...checks.map(({ id }) => id.length));
  const parts = [...groupBy(checks, ({ link }) => link)].map(([link, group]) => [
    `${paint.bold(link)}  ${paint.dim(linkTitles[link])}`,
    ...group.flatMap(({ id, severity, title, explainedBy }) => {
      const front = `  ${paints[severity](severity)}${' '.repeat(9 - severity.length)}${id.padEnd(column)}  `;
      const behind =
        look.wide && explainedBy.length > 0
          ? ` ${paint.dim(`(explained by ${explainedBy.join(', ')})`)}`
          : '';
      return wrap(`${title}${behind}`, width, front);
    }),
  ]);
  const hint = paint.dim(`${checks.length} checks. "kubectl webhook checks ID" explains one.`);
  return joinedSections([...parts, [hint]]);
}

const meanings = {
  failing: 'the next call fails',
  degraded: 'some calls fail',
  unknown: 'unknown whether calls fail',
};

/** Renders the page of one check: meaning, reason, advice, messages and links. */
export function renderCheckPage(document: CheckDocument, look: Look): string {
  const check = harmlessDocument(document, look.unicode);
  const { paint, width, marks } = styleOf(look);
  const part = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', paint.bold(title), ...lines];
  const list = (title: string, items: readonly string[]): readonly string[] =>
    part(title, items.length === 0 ? [] : wrap(items.join(', '), width, '  '));
  return [
    ...wrap(
      `${paint.bold(check.id)} ${marks.dot} ${check.severity} ${marks.dot} ${check.link} (${linkTitles[check.link]})`,
      width,
    ),
    ...wrap(check.title, width),
    ...part('Why', wrap(check.why, width, '  ')),
    ...part('What to do', wrap(adviceLines(check.advice), width, '  ')),
    ...part(
      'Messages',
      check.messages.flatMap(({ text, severity, consequence, advice }) => [
        ...wrap(text, width, `  ${severity.padEnd(8)} `),
        ...(consequence === undefined ? [] : wrap(paint.dim(meanings[consequence]), width, ' '.repeat(11))),
        ...(advice === undefined ? [] : wrap(adviceLines(advice), width, ' '.repeat(11))),
      ]),
    ),
    ...list('Possible causes', check.explainedBy),
    ...list('Possible consequences', check.explains),
    ...list('Reads', check.reads),
    ...part(
      'References',
      check.references.map((reference) => `  ${reference}`),
    ),
    ...list('Formerly', check.aliases),
    '',
  ].join('\n');
}
