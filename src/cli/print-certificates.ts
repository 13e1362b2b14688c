import { certificateExitCode } from '../diagnose/certificate-exit-code.ts';
import type { CertificateReport } from '../diagnose/certificate-report.ts';
import type { FailOn } from '../diagnose/exit-code.ts';
import {
  type CertificateFormat,
  calendarLength,
  renderCertificateReport,
} from '../render/render-certificate-report.ts';
import { terminalLook } from './terminal.ts';

interface How {
  readonly all: boolean;
  readonly calendar: boolean;
  /** Milliseconds. */
  readonly within: number | undefined;
  readonly failOn: FailOn;
  readonly tookMs: number;
}

const day = 24 * 60 * 60 * 1000;

/** Writes the report to stdout as it was asked for, and sets the exit code that it calls for. */
export async function printCertificates(
  report: CertificateReport,
  format: CertificateFormat | undefined,
  { all, calendar, within, failOn, tookMs }: How,
): Promise<void> {
  const days = within === undefined ? calendarLength : Math.ceil(within / day);
  const look = {
    ...terminalLook(process.stdout),
    wide: format === 'wide',
    all,
    tookMs,
    within,
    ...(calendar || format === 'ics' ? { calendarDays: days } : {}),
  };
  process.stdout.write(await renderCertificateReport(report, format, look));
  process.exitCode = certificateExitCode(report, failOn, within);
}
