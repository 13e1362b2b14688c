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

/** The same with their labels, as a terminal shows them. */
export const nextLines = (findings: readonly FindingReport[]): readonly (readonly [string, string])[] =>
  nextCommands(findings).map(({ when, command: { text }, title, because }) => [
    commandLabel[when],
    [
      text,
      ...(when === 'now' ? [] : [`(${title})`]),
      ...(because === undefined ? [] : [`(${because})`]),
    ].join('\n'),
  ]);
