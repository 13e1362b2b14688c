import type { FindingReport } from '../../diagnose/report.ts';
import { commandLabel } from '../labels.ts';

/** Maximum number of commands; `-o json` has all of them. */
const most = 3;

type NextCommand = NonNullable<FindingReport['next']>[number];

/** The next commands for findings of one check, without duplicates. */
export function nextCommands(findings: readonly FindingReport[]): readonly NextCommand[] {
  const commands = findings.flatMap(({ next = [] }) => next);
  return (['now', 'fix'] as const).flatMap((when) => {
    const wanted = commands.filter((one) => one.when === when);
    return [...new Map(wanted.map((one) => [one.command.text, one])).values()].slice(0, most);
  });
}

/** The same with labels, for a terminal. `terse` omits descriptions of the mitigation. */
export const nextLines = (
  findings: readonly FindingReport[],
  terse = false,
): readonly (readonly [string, string])[] =>
  nextCommands(findings).map(({ when, command: { text }, title, because }) => {
    const notes = when === 'fix' ? [`(${title})`] : terse ? [] : [`(${title}; asks first, can be undone)`];
    return [
      commandLabel[when],
      [text, ...notes, ...(because === undefined ? [] : [`(${because})`])].join('\n'),
    ];
  });
