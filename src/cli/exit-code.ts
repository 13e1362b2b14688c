import type { ChangeReport } from '../change/change-report.ts';

export { exitCode } from '../diagnose/exit-code.ts';

const good: ReadonlySet<string> = new Set(['planned', 'verified', 'undone']);

/**
 * 0: done, or planned as asked for. 1: refused, or it did not turn out as it should. 3: nothing to do, as far as was
 * looked.
 */
export const changeExitCode = ({ changes, notLookedAt }: ChangeReport): number => {
  if (notLookedAt !== undefined) return 3;
  return changes.every(({ state }) => good.has(state)) ? 0 : 1;
};

/** Of several runs one exit code: a find, else that something could not be looked at, else none. */
export const worstExitCode = (codes: readonly number[]): number =>
  [1, 2, 3].find((code) => codes.includes(code)) ?? 0;
