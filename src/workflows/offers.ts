import { defined } from '../basics/collections.ts';
import { remembered } from '../basics/derive.ts';
import { type DoctorReport, type FindingReport, isBroken } from '../diagnose/report.ts';
import { byId } from '../facts/callout.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { namesNewNode } from '../facts/workloads/unscheduled.ts';
import { remedyCatalogue } from '../remedies/catalogue.ts';
import { type Offer, offersFor } from '../remedies/plans-for.ts';

/** Built once per report, so that thousands of findings do not each search thousands of webhooks. */
const reported = remembered((callouts: DoctorReport['callouts']) => byId(callouts));
const known = remembered((callouts: Snapshot['facts']['callouts']) => byId(callouts));

/** Whether the finding is a reason that the next call fails. If the webhook is not called, no call fails. */
function breaksCall(finding: FindingReport, report: DoctorReport): boolean {
  if (finding.admittedAnyway === true) return false;
  const callout = reported(report.callouts).get(finding.callout ?? '');
  if (callout === undefined) return false;
  const { state, because } = callout.verdict;
  return isBroken(state) && because.includes(finding.check);
}

/**
 * The remedies for a finding, the best first.
 *
 * @param namespace for remedies that exclude one.
 */
export function offersOf(
  finding: FindingReport,
  report: DoctorReport,
  facts: Snapshot['facts'],
  namespace?: string,
): readonly Offer[] {
  const callout = known(facts.callouts).get(finding.callout ?? '');
  const problem = {
    check: finding.check,
    subject: finding.subject,
    link: finding.link,
    breaks: breaksCall(finding, report),
    ...(finding.evidence.some(({ value }) => namesNewNode(value)) ? { waitsForNodes: true as const } : {}),
    ...defined({ callout, namespace, refusedAnyway: finding.refusedAnyway }),
  };
  return offersFor(problem, facts, remedyCatalogue);
}
