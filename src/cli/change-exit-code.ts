import type { ChangeReport } from '../change/change-report.ts';

const good: ReadonlySet<string> = new Set(['planned', 'verified', 'undone']);

/** 0: done, or planned as asked for. 1: refused, or it did not turn out as it should. */
export const changeExitCode = ({ changes }: ChangeReport): number =>
  changes.every(({ state }) => good.has(state)) ? 0 : 1;
