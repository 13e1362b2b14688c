import type { CertificateReport } from './certificate-report.ts';
import type { FailOn } from './exit-code.ts';

/** Certificates that end before a moment, those that have ended included. @param until milliseconds since 1970. */
const endingBefore = ({ certificates }: CertificateReport, until: number) =>
  certificates.filter(({ notAfter }) => notAfter !== undefined && Date.parse(notAfter) <= until);

/**
 * 1: a finding at or above `failOn`, a callout whose certificate is rejected, or one that ends within `within`
 * milliseconds. 3: none of these, but of some callout no certificate could be seen. 0: all looked at and accepted.
 */
export function certificateExitCode(
  report: CertificateReport,
  failOn: FailOn,
  within: number | undefined,
): 0 | 1 | 3 {
  const { callouts, findings, takenAt, notLookedAt } = report;
  const severities = failOn === 'error' ? ['error'] : failOn === 'warning' ? ['error', 'warning'] : [];
  if (findings.some(({ severity }) => severities.includes(severity))) return 1;
  const broken = callouts.some(({ state }) => state === 'rejected' || state === 'degraded');
  if (failOn !== 'never' && broken) return 1;
  if (within !== undefined && endingBefore(report, Date.parse(takenAt) + within).length > 0) return 1;
  return notLookedAt.length > 0 || callouts.some(({ state }) => state === 'unknown') ? 3 : 0;
}
