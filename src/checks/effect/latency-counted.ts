import type { WebhookCounts } from '../../facts/metrics.ts';
import {
  countEvidence,
  countedCallouts,
  countedFacts,
  countedFor,
  count as counting,
  countsFor,
  longerThan,
} from '../../facts/webhook-counts.ts';
import { defineCheck, note } from '../check.ts';

/** A fraction of the timeout, as in timeout-too-short: slower responses leave no reserve. */
const share = 0.5;
/** The share of slow calls to report: fewer happen at a start, in a rollout, or under load. */
const minimumShare = 0.01;
const fewest = 3;
/** The minimum number of calls to report: fewer happen at the start of a backend. */
const minimumCalls = 30;

/** The smallest bound of the histogram at or above a time; undefined if none. */
const boundAbove = ({ buckets }: WebhookCounts, seconds: number): number | undefined =>
  buckets.find((bucket) => bucket.seconds >= seconds)?.seconds;

export const latencyCounted = defineCheck({
  meta: {
    id: 'latency-counted',
    title: 'Calls to this webhook took most of its timeout',
    severity: 'warning',
    confidence: 'observed',
    why: 'A call that takes more than half of timeoutSeconds fails as soon as the backend or its node is busy. Every matching request waits for it. The times are buckets of apiserver_admission_webhook_admission_duration_seconds: a call may have taken longer than the reported bound.',
    advice:
      '[look] Compare the CPU usage of the Pods with their limit, which throttles them: `kubectl -n {metered} top pod`. [look] Check for slow requests that the webhook makes itself, and for resources in its rules that it does not need: `kubectl -n {namespace} logs {backend}`. [end] Raise timeoutSeconds only if a response really takes that long.',
    noRemedy: 'is-past',
    messages: {
      slow: '{late} of {calls} calls to {webhook} took longer than {bound} s {since}; timeoutSeconds is {timeout}, the average {average} ms',
      few: note(
        '{late} of only {calls} calls to {webhook} took longer than {bound} s {since}; timeoutSeconds is {timeout}, the average {average} ms',
      ),
    },
  },
  requires: countedFacts,
  subjects: countedCallouts,
  run(counted, facts, find) {
    const counts = countsFor(counted, facts);
    // Counted together: the longest timeout is used, so that a webhook is not reported for the calls of
    // another.
    const timeout = Math.max(...counted.together.map(({ timeoutSeconds }) => timeoutSeconds));
    const bound = counts && boundAbove(counts, timeout * share);
    if (counts === undefined || bound === undefined) return undefined;
    const late = counting(counted, facts, longerThan(bound));
    if (late === undefined || late.total < fewest || late.total < counts.calls * minimumShare)
      return undefined;
    const data = {
      late: late.total,
      calls: counts.calls,
      webhook: countedFor(counted),
      bound,
      since: late.since,
      timeout,
      average: Math.round((counts.seconds / counts.calls) * 1000),
    };
    const name = 'apiserver_admission_webhook_admission_duration_seconds';
    return find(
      counts.calls < minimumCalls ? 'few' : 'slow',
      data,
      countEvidence(counted, facts, name, (one) => `over ${bound} s: ${longerThan(bound)(one)}`),
    );
  },
});
