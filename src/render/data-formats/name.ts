import type { DoctorReport } from '../../diagnose/report.ts';
import { worstFirst } from '../resolved-stories.ts';
import { harmless } from '../text/harmless.ts';

/**
 * `-o name`: names of webhooks with a problem, worst first, one per line, in the form that every command
 * accepts (`kubectl webhook doctor -o name | xargs …`): state failing, degraded or unknown, or an error
 * finding. With `all` every webhook. Empty if there is none.
 */
export function renderName(report: DoctorReport, all: boolean): string {
  const errors = report.findings.filter(({ severity }) => severity === 'error').map(({ callout }) => callout);
  const needed = new Set([...report.stories.flatMap(({ callouts }) => callouts), ...errors]);
  return worstFirst(report)
    .filter((id) => all || needed.has(id))
    .map((id) => `${harmless(id)}\n`)
    .join('');
}
