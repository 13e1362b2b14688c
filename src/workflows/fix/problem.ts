import type { CalloutReport, DoctorReport, FindingReport } from '../../diagnose/report.ts';
import { type Callout, calloutId } from '../../facts/callout.ts';
import { defined } from '../../facts/defined.ts';
import { remembered } from '../../facts/derive.ts';
import type { Problem } from '../../remedies/remedy.ts';

/** Callouts by id. */
export const byId = (callouts: readonly Callout[]): ReadonlyMap<string, Callout> =>
  new Map(callouts.map((callout) => [calloutId(callout), callout]));

/** Callouts of a report by id: thousands of findings must not look through thousands of callouts each. */
const reported = remembered(
  ({ callouts }: DoctorReport): ReadonlyMap<string, CalloutReport> =>
    new Map(callouts.map((one) => [calloutId(one), one])),
);

/** True when the finding is among the reasons for which the next call fails. */
function breaksCall(finding: FindingReport, report: DoctorReport): boolean {
  const callout = reported(report).get(finding.callout ?? '');
  if (callout === undefined) return false;
  const { state, because } = callout.verdict;
  return (state === 'failing' || state === 'degraded') && because.includes(finding.check);
}

/** A finding in the facts' terms, as remedies are asked about it. */
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
