import type { DoctorReport } from '../diagnose/report.ts';

/** On a terminal: that there is a way on from here. A log or a pipe does not need it. */
export function offerFix(
  { findings }: DoctorReport,
  sameCluster: string,
  stream: NodeJS.WriteStream = process.stdout,
): void {
  if (stream.isTTY !== true || !findings.some(({ remedies }) => remedies.length > 0)) return;
  stream.write(`\nMend it, step by step and with a way back: kubectl webhook fix${sameCluster}\n`);
}
