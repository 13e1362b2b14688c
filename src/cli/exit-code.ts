import { exitCode, type FailOn } from '../diagnose/exit-code.ts';
import type { DoctorReport } from '../diagnose/report.ts';

/** Sets the exit code that the report calls for. */
export function endWith(report: DoctorReport, failOn: FailOn): void {
  process.exitCode = exitCode(report, failOn);
}
