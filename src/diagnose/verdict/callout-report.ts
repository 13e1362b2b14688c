import type { NextCall } from '../../apiserver/next-call/call-outcome.ts';
import { defined } from '../../basics/collections.ts';
import { type Callout, isAdmission } from '../../facts/callout.ts';
import { changeRecords, noteOf, opens } from '../../facts/change-record.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import { notTriedAt } from '../coverage.ts';
import type { ExplainedFinding } from '../findings/cause.ts';
import type { BackendReport, CalloutReport, Verdict } from '../report.ts';
import type { CalloutBeforeStory } from '../stories.ts';
import { impactReport } from './impact-report.ts';
import { replicaReports, sampleReports } from './replica-reports.ts';
import { verdictOf } from './verdict-of.ts';

/** Returns the backend of a webhook or APIService for a report. */
export const backendReport = ({ client: { service, url } }: Callout): BackendReport => ({
  ...defined({ service, url }),
});

/** A webhook or APIService with its findings and the prediction of its next call. */
interface EvaluatedCallout {
  readonly callout: Callout;
  readonly explained: readonly ExplainedFinding[];
  readonly next: NextCall;
}

/** The report of one webhook or APIService. `sameCluster`: flags for the printed undo command. */
export function calloutReport(
  { callout, explained, next }: EvaluatedCallout,
  snapshot: Snapshot,
  sameCluster: string,
): CalloutBeforeStory {
  const { kind, configuration, webhook, index, timeoutSeconds } = callout;
  const notTried = notTriedAt(callout, snapshot.facts);
  const samples = sampleReports(callout, snapshot);
  return {
    kind,
    configuration,
    webhook,
    index,
    ...(isAdmission(callout) ? { failurePolicy: callout.failurePolicy } : {}),
    timeoutSeconds,
    backend: backendReport(callout),
    ...withImpact(callout, explained, verdictOf(callout, explained, next, snapshot.facts), snapshot),
    ...openedBy(callout, sameCluster),
    replicas: replicaReports(callout, snapshot),
    ...(samples.length === 0 ? {} : { samples }),
    ...(notTried.length === 0 ? {} : { notTried }),
  };
}

/** The newest change by this program that made the webhook fail open, if it still fails open. */
function openedBy(callout: Callout, sameCluster: string): Pick<CalloutReport, 'opened'> {
  if (!isAdmission(callout) || callout.failurePolicy !== 'Ignore') return {};
  const record = changeRecords(callout.metadata).findLast((one) => opens(one, callout.webhook));
  if (record === undefined) return {};
  const { id: change, at, until } = record;
  const undo = `kubectl webhook undo ${change}${sameCluster}`;
  return { opened: { change, at, ...(until === undefined ? {} : { until }), ...noteOf(record), undo } };
}

/** The verdict, with its impact if requests are blocked, or will be if the only Pod fails. */
function withImpact(
  callout: Callout,
  explained: readonly ExplainedFinding[],
  verdict: Verdict,
  { facts }: Snapshot,
): Pick<CalloutReport, 'verdict' | 'impact'> {
  const implied = explained.map(({ finding }) => finding.implies);
  const stops = verdict.effect === 'blocks' || implied.includes('one-pod-left');
  return stops && isAdmission(callout)
    ? { verdict, impact: impactReport(callout, implied, facts) }
    : { verdict };
}
