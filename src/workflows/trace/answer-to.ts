import { callSeconds } from '../../apiserver/budget/budget.ts';
import type { TraceCall, TracedResponse } from '../../apiserver/trace/trace-call.ts';
import type { ClusterProber } from '../../collect/cluster.ts';
import type { CalloutReport } from '../../diagnose/report.ts';
import { calloutId, isAdmission } from '../../facts/callout.ts';
import type { Snapshot } from '../../facts/snapshot.ts';

/** What the calls of webhooks need. */
export interface TracedCalls {
  readonly snapshot: Snapshot;
  readonly verdicts: ReadonlyMap<string, CalloutReport['verdict']>;
  /** The prober, or why no webhook is called. */
  readonly calls: { readonly why: string } | { readonly prober: ClusterProber };
}

const notCalled = (why: string): TracedResponse => ({ end: { outcome: 'not-called', why }, seconds: 0 });

/** True for a result that depends on doctor's test object, so that it does not apply to this object. */
const dependsOnObject = ({ link, error = '' }: CalloutReport['verdict']): boolean =>
  link === 'response' || / resulted in error: /.test(error);

/** Matches the error of a call that timed out. */
const ranOut = /context deadline exceeded|Client\.Timeout|i\/o timeout/;

/** The result of one call: a failure that doctor found, otherwise the response of its Pods to this review. */
export async function answerTo(
  call: TraceCall,
  { snapshot, verdicts, calls }: TracedCalls,
): Promise<TracedResponse> {
  const { callout } = call;
  const id = calloutId(callout);
  const verdict = verdicts.get(id);
  const error = verdict?.error?.replace(/^Internal error occurred: /, '');
  if (verdict?.state === 'failing' && !dependsOnObject(verdict)) {
    const text = error ?? `failed calling webhook "${callout.webhook}"`;
    const seconds = ranOut.test(text) && isAdmission(callout) ? callSeconds(callout) : 0;
    return { end: { outcome: 'call-failure', text, complete: error !== undefined, code: 503 }, seconds };
  }
  if ('why' in calls) return notCalled(calls.why);
  const { reviewPayload, conversionPayload } = await import('../../collect/probes/payload.ts');
  const { probe } = await import('../../collect/probes/probe.ts');
  const { firstResponse } = await import('../../collect/probes/samples/first-response.ts');
  const review =
    call.phase === 'conversion'
      ? conversionPayload(call.callout, call.object, call.to)
      : reviewPayload(call.callout, call.request, call.requested);
  if (review.notSent !== undefined) return notCalled(review.notSent.detail ?? review.notSent.why);
  const { probes } = await probe(calls.prober, snapshot.facts, [callout], {
    level: 'review',
    replicasOnly: true,
    payload: () => review,
  });
  const response = firstResponse(call.callout, probes.getIfKnown(id), snapshot.cluster.version);
  if ('why' in response) return notCalled(response.why);
  const doubt = response.others === undefined ? doubtOf(verdict) : `other Pods differ (${response.others})`;
  return {
    end: response.evaluated,
    seconds: response.milliseconds / 1000,
    ...(doubt === undefined ? {} : { doubt }),
  };
}

function doubtOf(verdict: CalloutReport['verdict'] | undefined): string | undefined {
  if (verdict !== undefined && dependsOnObject(verdict)) return undefined;
  switch (verdict?.state) {
    case 'degraded':
      return `other Pods respond differently: ${verdict.error ?? verdict.because.join(', ')}`;
    case 'unknown':
      return 'a Pod responds, but whether the API server can call it is unknown';
    default:
      return undefined;
  }
}
