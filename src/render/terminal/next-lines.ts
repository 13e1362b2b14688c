import type { NextCommand } from '../../diagnose/report.ts';
import { asResult, commandLabel } from '../text/labels.ts';

/**
 * Commands with their labels, for a terminal. `terse` omits descriptions of the mitigation, and the result of a fix that is
 * the same as an earlier one, for another object.
 */
export const nextLines = (
  commands: readonly NextCommand[],
  terse: boolean,
): readonly (readonly [string, string])[] =>
  commands.map(({ when, id, command: { text }, title, because }, at) => {
    const isRepeated = terse && commands.slice(0, at).some((earlier) => earlier.id === id);
    const result = isRepeated ? [] : [`(${asResult(title)})`];
    const undoable = terse ? [] : [`(${title}; can be undone)`];
    const notes = when === 'fix' ? result : undoable;
    return [
      commandLabel[when],
      [text, ...notes, ...(because === undefined ? [] : [`(${because})`])].join('\n'),
    ];
  });
