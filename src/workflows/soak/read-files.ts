import { isJsonObject, parsedJson } from '../../basics/collections.ts';
import { limits } from '../../basics/limits.ts';
import type { SoakReport } from '../../soak/soak-report.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { inputFrom } from '../input/input-file.ts';

/** Reads a file, or standard input for `-`. Throws CannotStart. */
export const fileText = async (name: string): Promise<string> =>
  (await inputFrom(name, { bytes: limits.file })).toString('utf8');

const counts = ['requests', 'checked', 'unchecked', 'failed', 'other', 'slow'] as const;

const isSoakReport = (value: unknown): value is SoakReport => {
  if (!isJsonObject(value) || value.kind !== 'SoakReport' || !isJsonObject(value.totals)) return false;
  const { takenAt, totals } = value;
  return typeof takenAt === 'string' && counts.every((name) => Number.isSafeInteger(totals[name]));
};

/** Reads a SoakReport written with `-o json`. Throws CannotStart. */
export async function earlierSoak(name: string): Promise<SoakReport> {
  const report = parsedJson(await fileText(name));
  if (isSoakReport(report)) return report;
  throw new CannotStart(`${name} is not a SoakReport: it must be the output of soak -o json`);
}
