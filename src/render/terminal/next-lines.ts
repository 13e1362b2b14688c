import type { NextCommand } from '../../diagnose/report.ts';
import { asResult, commandLabel } from '../text/labels.ts';

/** Commands with their labels, for a terminal. `terse` omits descriptions of the mitigation. */
export const nextLines = (
  commands: readonly NextCommand[],
  terse = false,
): readonly (readonly [string, string])[] =>
  commands.map(({ when, command: { text }, title, because }) => {
    const notes = when === 'fix' ? [`(${asResult(title)})`] : terse ? [] : [`(${title}; can be undone)`];
    return [
      commandLabel[when],
      [text, ...notes, ...(because === undefined ? [] : [`(${because})`])].join('\n'),
    ];
  });
