import type { ChangeReport } from '../change/change-report.ts';
import { atOrAbove, type FailOn } from '../checks/chain.ts';
import type { CertificateReport } from '../diagnose/certificates/certificate-report.ts';
import type { DoctorReport } from '../diagnose/report.ts';

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
