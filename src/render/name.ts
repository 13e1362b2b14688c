import type { DoctorReport } from '../diagnose/report.ts';
import { calloutId } from '../facts/callout.ts';
import { harmless } from './harmless.ts';
import { states } from './worst-first.ts';

/**
 * `-o name`: the callouts that need someone, worst first, one per line, as every command takes them for an argument
 * (`kubectl webhook doctor -o name | xargs …`): those that fail, fail for some, or cannot be judged, and those with an
 * error finding. With `all` every callout. Nothing at all when there is none.
 */
export function renderName(report: DoctorReport, all: boolean): string {
  const errors = new Set(
    report.findings.filter(({ severity }) => severity === 'error').map(({ callout }) => callout),
  );
  const needed = report.callouts.filter(
    (callout) => all || callout.verdict.state !== 'healthy' || errors.has(calloutId(callout)),
  );
  return states
    .flatMap((state) => needed.filter(({ verdict }) => verdict.state === state))
    .map((callout) => `${harmless(calloutId(callout))}\n`)
    .join('');
}
