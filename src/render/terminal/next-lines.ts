import type { FindingReport } from '../../diagnose/report.ts';
import { commandLabel } from '../labels.ts';

/** More would be a list to read at night; -o json has them all. */
const most = 3;

type NextCommand = NonNullable<FindingReport['next']>[number];

/** The commands that help next with findings of one check, each once. */
export function nextCommands(findings: readonly FindingReport[]): readonly NextCommand[] {
  const commands = findings.flatMap(({ next = [] }) => next);
  return (['now', 'fix'] as const).flatMap((when) => {
    const wanted = commands.filter((one) => one.when === when);
    return [...new Map(wanted.map((one) => [one.command.text, one])).values()].slice(0, most);
  });
}

/** The same with their labels, as a terminal shows them; `terse` where there is no room to say what stops the damage. */
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
