import type { CalloutReport, DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import { defined } from '../../facts/collections.ts';
import { remembered } from '../../facts/derive.ts';
import type { Problem } from '../../remedies/remedy.ts';

/** Webhooks and APIServices by id. */
export const byId = (callouts: readonly Callout[]): ReadonlyMap<string, Callout> =>
  new Map(callouts.map((callout) => [calloutId(callout), callout]));

/**
 * The same of a report. Built once, so that thousands of findings do not each search thousands of webhooks.
 */
const reported = remembered(
  ({ callouts }: DoctorReport): ReadonlyMap<string, CalloutReport> =>
    new Map(callouts.map((one) => [calloutId(one), one])),
);

/** Whether the finding is a reason that the next call fails. */
function breaksCall(finding: FindingReport, report: DoctorReport): boolean {
  const callout = reported(report).get(finding.callout ?? '');
  if (callout === undefined) return false;
  const { state, because } = callout.verdict;
  return (state === 'failing' || state === 'degraded') && because.includes(finding.check);
}

/** A finding with its facts, the input of remedies. */
export function problemOf(
  finding: FindingReport,
  report: DoctorReport,
  callouts: ReadonlyMap<string, Callout>,
  namespace?: string,
): Problem {
  const callout = callouts.get(finding.callout ?? '');
  return {
    check: finding.check,
    subject: finding.subject,
    breaks: breaksCall(finding, report),
    ...defined({ callout, namespace }),
  };
}
