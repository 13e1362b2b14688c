import type { Check } from '../checks/check.ts';
import type { Callout } from '../facts/callout.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { buildReport, type Show } from './build-report.ts';
import type { DoctorReport } from './report.ts';
import { type CheckResult, runCheck } from './run-check.ts';

/**
 * Snapshot → report: runs the checks and joins what they say. Pure; `takenAt` is its only clock.
 *
 * @param results what the checks said of these very facts, where they ran already.
 */
export function diagnose(
  snapshot: Snapshot,
  asked: readonly Callout[],
  checks: readonly Check[],
  show: Show,
  results: readonly CheckResult[] = checks.flatMap((check) => runCheck(check, snapshot)),
): DoctorReport {
  return buildReport({
    snapshot,
    asked,
    checks,
    results,
    show,
  });
}
