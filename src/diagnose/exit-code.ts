import type { Severity } from '../checks/check.ts';
import type { CertificateReport } from './certificates/certificate-report.ts';
import type { DoctorReport } from './report.ts';

/** The lowest severity that sets exit code 1; `never`: no finding does. */
export type FailOn = 'error' | 'warning' | 'never';

/** The severities that set exit code 1. */
export const atOrAbove: Readonly<Record<FailOn, readonly Severity[]>> = {
  error: ['error'],
  warning: ['error', 'warning'],
  never: [],
};

/** Also true for certificates that have expired already. `until`: milliseconds since 1970. */
const expiresBefore = ({ certificates }: CertificateReport, until: number): boolean =>
  certificates.some(({ notAfter }) => notAfter !== undefined && Date.parse(notAfter) <= until);

/**
 * Exit code of a report. 1: a finding at or above `failOn` (a webhook or APIService that fails has one); for
 * `cert-check` also a certificate that is rejected, or expires within `within` milliseconds. 3: none of
 * these, but a read failed or a verdict is unknown, also with `never`. 0: everything was examined, nothing to
 * report.
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
    if (within !== undefined && expiresBefore(report, Date.parse(report.takenAt) + within)) return 1;
  }
  return report.notLookedAt.length + report.summary.callouts.unknown > 0 ? 3 : 0;
}
