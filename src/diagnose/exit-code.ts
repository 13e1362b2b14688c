import type { Severity } from '../checks/check.ts';
import type { CertificateReport } from './certificate-report.ts';
import type { DoctorReport } from './report.ts';

export type FailOn = 'error' | 'warning' | 'never';

/** The severities that set exit code 1. */
export const atOrAbove: Readonly<Record<FailOn, readonly Severity[]>> = {
  error: ['error'],
  warning: ['error', 'warning'],
  never: [],
};

/** Whether a certificate ends before a moment, in milliseconds since 1970; whoever has ended is one of them. */
const endsBefore = ({ certificates }: CertificateReport, until: number): boolean =>
  certificates.some(({ notAfter }) => notAfter !== undefined && Date.parse(notAfter) <= until);

/**
 * 1: a finding at or above `failOn`; a callout that fails has one. Of certificates also one that is rejected, or that ends
 * within `within` milliseconds. 3: none of these, but something asked for could not be looked at, or a verdict is unknown. 0:
 * looked at everything, nothing to report. `never` silences findings, not blindness.
 */
export function exitCode(
  report: DoctorReport | CertificateReport,
  failOn: FailOn,
  within?: number,
): 0 | 1 | 3 {
  if (report.findings.some(({ severity }) => atOrAbove[failOn].includes(severity))) return 1;
  if (report.kind === 'CertificateReport') {
    const { rejected, degraded } = report.summary.callouts;
    if (failOn !== 'never' && rejected + degraded > 0) return 1;
    if (within !== undefined && endsBefore(report, Date.parse(report.takenAt) + within)) return 1;
  }
  return report.notLookedAt.length + report.summary.callouts.unknown > 0 ? 3 : 0;
}
