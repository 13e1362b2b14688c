import type { DoctorReport } from '../diagnose/report.ts';
import type { ReportLook } from '../render/look.ts';
import { type ReportFormat, renderReport } from '../render/render-report.ts';
import { terminalLook } from './terminal.ts';

/** Writes the report to stdout, in the format that was asked for and as this terminal can show it. */
export async function printReport(
  report: DoctorReport,
  format: ReportFormat | undefined,
  how: { readonly all: boolean } & Pick<ReportLook, 'tookMs'>,
): Promise<void> {
  const look = { ...terminalLook(process.stdout), wide: format === 'wide', ...how };
  process.stdout.write(await renderReport(report, format, look));
}
