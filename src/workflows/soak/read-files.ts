import { limits } from '../../facts/limits.ts';
import type { SoakReport } from '../../soak/soak-report.ts';
import { inputFrom } from '../input-file.ts';
import { CannotStart } from '../with-cluster.ts';

/** Reads a file, or standard input for `-`. Throws CannotStart. */
export const fileText = async (name: string): Promise<string> =>
  (await inputFrom(name, { bytes: limits.file })).toString('utf8');

/** Reads a SoakReport written with `-o json`. Throws CannotStart. */
export async function earlierSoak(name: string): Promise<SoakReport> {
  const written = await fileText(name);
  try {
    const report = JSON.parse(written) as SoakReport;
    const { totals } = report;
    const counts = [
      totals.requests,
      totals.checked,
      totals.unchecked,
      totals.failed,
      totals.other,
      totals.slow,
    ];
    if (
      report.kind === 'SoakReport' &&
      counts.every(Number.isSafeInteger) &&
      typeof report.takenAt === 'string'
    )
      return report;
  } catch {
    // Reported below.
  }
  throw new CannotStart(`${name} is not a SoakReport: it must be the output of soak -o json`);
}
