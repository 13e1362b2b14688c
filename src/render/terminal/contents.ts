import stringWidth from 'string-width';
import type { CalloutState } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import type { Story } from '../stories.ts';
import { cut } from './cut.ts';
import type { Style } from './style.ts';

/** With so many blocks the first screen no longer shows what is broken. */
const many = 4;

/** One line per block, so that the first screen answers what is broken. Nothing while there are few. */
export function contents(stories: readonly Story[], style: Style, all: boolean): string[] {
  if (stories.length < many) return [];
  const { paint, marks } = style;
  const looks: Record<CalloutState, string> = {
    failing: paint.red(`${marks.bad} failing `),
    degraded: paint.yellow(`${marks.warning} degraded`),
    unknown: paint.magenta(`${marks.unknown} unknown `),
    healthy: paint.green(`${marks.good} healthy `),
  };
  const names = stories.map(({ callouts: [first, ...others] }) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `${calloutId(first)}${more}`;
  });
  const causes = stories.map(
    ({ cause, callouts: [first] }) => cause?.check ?? first.verdict.because[0] ?? '',
  );
  const room = style.width - stringWidth(looks.failing) - 4 - Math.max(...causes.map((id) => id.length));
  const column = Math.min(room, Math.max(...names.map((name) => name.length)));
  const lines = stories.map(({ state }, at) => {
    const name = names[at] ?? '';
    const shown = name.length <= column ? name : name.slice(0, column - marks.more.length) + marks.more;
    return `${looks[state]}  ${shown.padEnd(column)}  ${paint.dim(causes[at] ?? '')}`.trimEnd();
  });
  return [...cut(lines, all ? undefined : 20, (rest) => `and ${rest} more, below`)];
}
