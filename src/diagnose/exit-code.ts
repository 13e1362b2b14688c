import type { Severity } from '../checks/check.ts';
import type { DoctorReport } from './report.ts';

export type FailOn = 'error' | 'warning' | 'never';

const atOrAbove: Readonly<Record<FailOn, readonly Severity[]>> = {
  error: ['error'],
  warning: ['error', 'warning'],
  never: [],
};

/**
 * 1: a finding at or above `failOn`; a callout that fails has one. 3: none, but something asked for could not be looked
 * at. 0: looked at everything, nothing to report. `never` silences findings, not blindness.
 */
export function exitCode(report: DoctorReport, failOn: FailOn): 0 | 1 | 3 {
  if (report.findings.some(({ severity }) => atOrAbove[failOn].includes(severity))) return 1;
  return report.notLookedAt.length > 0 ? 3 : 0;
}
