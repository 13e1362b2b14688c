import type { ChangeReport } from '../change/change-report.ts';

export { exitCode } from '../diagnose/exit-code.ts';

const good: ReadonlySet<string> = new Set(['planned', 'verified', 'undone']);

/**
 * Exit code of a change. 0: applied, or planned with a dry run. 1: refused, or not verified. 3: nothing to do
 * in the objects that could be read.
 */
export const changeExitCode = ({ changes, notLookedAt }: ChangeReport): number => {
  if (notLookedAt !== undefined) return 3;
  return changes.every(({ state }) => good.has(state)) ? 0 : 1;
};

/** Combines the exit codes of several runs: the first of 1, 2 and 3 that occurs, otherwise 0. */
export const worstExitCode = (codes: readonly number[]): number =>
  [1, 2, 3].find((code) => codes.includes(code)) ?? 0;
