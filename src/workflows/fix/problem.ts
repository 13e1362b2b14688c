import { defined } from '../../basics/collections.ts';
import { remembered } from '../../basics/derive.ts';
import { type DoctorReport, type FindingReport, isBroken } from '../../diagnose/report.ts';
import { byId, type Callout } from '../../facts/callout.ts';
import { namesNewNode } from '../../facts/workloads/unscheduled.ts';
import type { Problem } from '../../remedies/remedy.ts';

/** Built once per report, so that thousands of findings do not each search thousands of webhooks. */
const reported = remembered(({ callouts }: DoctorReport) => byId(callouts));

/** Whether the finding is a reason that the next call fails. If the webhook is not called, no call fails. */
function breaksCall(finding: FindingReport, report: DoctorReport): boolean {
  if (finding.admittedAnyway === true) return false;
  const callout = reported(report).get(finding.callout ?? '');
  if (callout === undefined) return false;
  const { state, because } = callout.verdict;
  return isBroken(state) && because.includes(finding.check);
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
    link: finding.link,
    breaks: breaksCall(finding, report),
    ...(finding.evidence.some(({ value }) => namesNewNode(value)) ? { waitsForNodes: true as const } : {}),
    ...defined({ callout, namespace, refusedAnyway: finding.refusedAnyway }),
  };
}
