import type { WebhookCounts } from '../../facts/metrics.ts';
import {
  count,
  countEvidence,
  countedCallouts,
  countedFacts,
  countedFor,
  countsFor,
  dryNote,
  longerThan,
} from '../../facts/webhook-counts.ts';
import { counted } from '../../phrases/lists.ts';
import { defineCheck, note } from '../check.ts';

const refusals = ({ refused, unusable }: WebhookCounts): number =>
  Object.values(refused).reduce((sum, one) => sum + one, 0) + unusable;

/** `503 (12), 500 (1)`: the status codes that clients received. */
function codes({ refused, unusable }: WebhookCounts): string {
  const each = Object.entries(refused).sort(([, a], [, b]) => b - a);
  const named = each.map(([code, times]) => `${code} (${times})`);
  return [...named, ...(unusable > 0 ? [`unusable response (${unusable})`] : [])].join(', ');
}

/**
 * The share of refused calls that must have exceeded the timeout to name it as the reason, if the average call takes less
 * than half of it: otherwise perhaps no call gets a response.
 */
const allButFew = 0.9;

export const rejectionsCounted = defineCheck({
  meta: {
    id: 'rejections-counted',
    title: 'Requests were refused because calls failed',
    severity: 'warning',
    confidence: 'observed',
    why: 'The API server counts requests that it refused because a call failed or its response was unusable, apart from denials. The metric is apiserver_admission_webhook_rejection_count with error_type calling_webhook_error or apiserver_internal_error. The count starts with the API server, and is the sum of all API servers that are reachable from this machine.',
    advice:
      '[look] Find out when and why from an audit log or a log of the API server: `kubectl webhook scan FILE`. [end] Create an alert: `kubectl webhook alerts`.',
    noRemedy: 'is-past',
    messages: {
      // The affected users know about it, and the counter has no time of the rejections.
      counted: note('{requests} refused {since} because calls to {webhook} failed: {codes}'),
      goingOn:
        'Requests are refused because calls to {webhook} fail: {recent} within {span}, {count} {since}: {codes}',
      late: {
        text: 'Calls to {webhook} take longer than its {timeout} s timeout, and are refused: {recent} within {span}, {count} {since}; the average is {average} ms',
        advice:
          '[look] Find out for which requests the program is slow, or does not respond: `kubectl -n {namespace} logs {backend}`. [end] If a response really takes that long for a few requests, raise `timeoutSeconds`, to at most 30: `kubectl edit {kind} {configuration}`. [end] Create an alert: `kubectl webhook alerts`.',
      },
      over: note(
        '{requests} refused {since} because calls to {webhook} failed ({codes}), and none in the last {span}',
      ),
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#admission-webhook-metrics',
    ],
  },
  requires: countedFacts,
  subjects: countedCallouts,
  run(webhook, facts, find) {
    const counts = countsFor(webhook, facts);
    const refused = count(
      webhook,
      facts,
      refusals,
      (code) => code === '500' || code in (counts?.refused ?? {}),
    );
    if (counts === undefined || refused === undefined || refused.total === 0) return undefined;
    const { total, since, recent, span = '' } = refused;
    const name = 'apiserver_admission_webhook_rejection_count';
    const evidence = countEvidence(webhook, facts, name, (one) =>
      [codes(one), `denied: ${one.denied}`].filter(Boolean).join('; '),
    );
    const requests = counted(total, 'request was', 'requests were');
    const data = { since, webhook: countedFor(webhook), codes: `${codes(counts)}${dryNote(refused)}` };
    if (recent === undefined) return find('counted', { ...data, requests }, evidence);
    const timeout = Math.max(...webhook.together.map(({ timeoutSeconds }) => timeoutSeconds));
    const average = Math.round((counts.seconds / counts.calls) * 1000);
    // Of the same calls as `recent`: earlier ones may have failed open, or had another timeout.
    const { recent: late = 0 } = count(webhook, facts, longerThan(timeout), () => false) ?? {};
    if (recent > 0 && late >= recent * allButFew && average < timeout * 500) {
      return find('late', { ...data, timeout, recent, span, count: total, average }, evidence);
    }
    if (recent > 0) return find('goingOn', { ...data, count: total, recent, span }, evidence);
    return find('over', { ...data, requests, span }, evidence);
  },
});
