import { groupBy } from '../../facts/collections.ts';
import { harmlessDocument } from '../harmless.ts';
import type { Look } from '../look.ts';
import { styleOf, wrap } from '../terminal/style.ts';
import { type CheckList, linkTitles } from './check-document.ts';

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
  return `${[...parts, [hint]].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
