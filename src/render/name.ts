import type { DoctorReport } from '../diagnose/report.ts';
import { harmless } from './harmless.ts';
import { worstFirst } from './stories.ts';

/**
 * `-o name`: the callouts that need someone, worst first, one per line, as every command takes them for an argument
 * (`kubectl webhook doctor -o name | xargs …`): those that fail, fail for some, or cannot be judged, and those with an
 * error finding. With `all` every callout. Nothing at all when there is none.
 */
export function renderName(report: DoctorReport, all: boolean): string {
  const errors = report.findings.filter(({ severity }) => severity === 'error').map(({ callout }) => callout);
  const needed = new Set([...report.stories.flatMap(({ callouts }) => callouts), ...errors]);
  return worstFirst(report)
    .filter((id) => all || needed.has(id))
    .map((id) => `${harmless(id)}\n`)
    .join('');
}
