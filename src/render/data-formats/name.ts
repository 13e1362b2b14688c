import type { DoctorReport } from '../../diagnose/report.ts';
import { shellWord } from '../../phrases/advice.ts';
import { worstFirst } from '../resolved-stories.ts';
import { harmless } from '../text/harmless.ts';

/** Names one per line, in the form that every command accepts; with a context, `--context prod validating/policy`. */
export function nameLines(names: readonly string[], context?: string): string {
  const flags = context === undefined ? '' : `--context ${harmless(shellWord(context))} `;
  return names.map((name) => `${flags}${harmless(name)}\n`).join('');
}

/**
 * `-o name`: names of webhooks with a problem, worst first (`kubectl webhook doctor -o name | xargs …`): state failing,
 * degraded or unknown, or an error finding. With `all` every webhook. Empty if there is none.
 */
export function renderName(report: DoctorReport, all: boolean, context?: string): string {
  const errors = report.findings.filter(({ severity }) => severity === 'error').map(({ callout }) => callout);
  const needed = new Set([...report.stories.flatMap(({ callouts }) => callouts), ...errors]);
  return nameLines(
    worstFirst(report).filter((id) => all || needed.has(id)),
    context,
  );
}
