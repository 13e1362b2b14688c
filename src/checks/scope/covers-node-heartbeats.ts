import { isDeepStrictEqual } from 'node:util';
import { impactOf } from '../../apiserver/admission/impact.ts';
import type { MatchFacts } from '../../apiserver/admission/match.ts';
import { matchEvidence, requestsText } from '../../apiserver/admission/match-evidence.ts';
import {
  heartbeats,
  nodeNotReadyText,
  noStatus,
  type VitalRequest,
  vitalRequestsMatched,
  writesHarmed,
} from '../../apiserver/admission/vital-request.ts';
import { timelineOf } from '../../apiserver/budget/timeline.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import {
  hasFailed,
  type ProbeFacts,
  probeFacts,
  usableEndpoints,
} from '../../apiserver/connection/probed.ts';
import { requestText } from '../../apiserver/deadlock/admission-path.ts';
import { type AdmissionCallout, calloutId, failsOpen } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { ownWebhooks } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

type Read = Pick<Facts, 'callouts'> & MatchFacts;

/**
 * True if the client of the request gives up before all open webhooks of the same server have failed, and this is the
 * first of them.
 */
function outlasts(callout: AdmissionCallout, vital: VitalRequest, facts: Read): boolean {
  const { request, clientTimeout } = vital;
  if (clientTimeout === undefined) return false;
  const peers = ownWebhooks(facts).filter(
    (other) =>
      failsOpen(other) &&
      isDeepStrictEqual(other.client.service, callout.client.service) &&
      isDeepStrictEqual(other.client.url, callout.client.url) &&
      impactOf(other, [{ request }], facts).matched.length > 0,
  );
  return peers[0] === callout && timelineOf(peers, () => 'hangs', { clientTimeout }).end === 'timed-out';
}

const patience = ({ clientTimeout = Number.POSITIVE_INFINITY }: VitalRequest): number => clientTimeout;

/** True if probes show that the server does not respond to the control plane. */
function isSilent(callout: AdmissionCallout, facts: ProbeFacts): boolean {
  if (!facts.probes.known(calloutId(callout))) return false;
  const usable = usableEndpoints({ ref: callout.ref, callout }, facts);
  return (
    usable.length > 0 &&
    usable.every((met) => hasFailed(met) && (lossOf(met) === 'dropped' || met.callResult.fault === 'hangs'))
  );
}

export const coversNodeHeartbeats = defineCheck({
  meta: {
    id: 'covers-node-heartbeats',
    link: 'scope',
    title: 'Webhook intercepts node and controller heartbeats',
    severity: 'warning',
    explains: { 'heartbeat-refused': 1, 'webhook-scope-reported': 1 },
    why: 'Kubelets, the scheduler and the controllers report through the API server, many times a second in a large cluster, and none of it is exempt from admission. While a webhook that matches it is down, nodes and leaders appear failed, even with failurePolicy Ignore if the call takes longer than the client waits (5 s for a leader that renews its Lease).',
    advice:
      'List the resources that the webhook validates in its rules, without `*/*` and `pods/*`, which match the subresources: `kubectl edit {kind} {configuration}`. Exclude kube-system and kube-node-lease by namespaceSelector. With failurePolicy Ignore, timeoutSeconds of 2 lets these requests pass in time.',
    messages: {
      covered: '{requests} must pass {webhook}: while it is down, {harm}',
      waits: '{requests} ends after {limit} s, before {webhook} fails open: while it is down, {harm}',
      waitsNow: {
        text: '{requests} ends after {limit} s, before {webhook}, which does not respond, fails open: {harm}',
        severity: 'error',
      },
    },
    follows: ['covers-everything'],
    references: [
      '/docs/concepts/architecture/nodes/#node-heartbeats',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope',
    ],
  },
  requires: [...new Set([...probeFacts, 'namespaces' as const, 'served' as const])],
  subjects: ownWebhooks,
  run(callout, facts, find) {
    const found = vitalRequestsMatched(callout, heartbeats(callout, facts), facts);
    const matched = failsOpen(callout)
      ? found
          .filter((one) => outlasts(callout, one.about, facts))
          .toSorted((a, b) => patience(a.about) - patience(b.about))
      : found;
    const [first] = matched;
    if (first === undefined) return;
    const evidence = matchEvidence(callout, matched);
    const { webhook, index, ref, timeoutSeconds } = callout;
    if (failsOpen(callout)) {
      const { harm, all } = writesHarmed(callout, matched);
      const limit = patience(first.about);
      const data = { requests: requestText(first.about.request), webhook, limit, harm };
      const field = `webhooks[${index}].timeoutSeconds`;
      return find(isSilent(callout, facts) ? 'waitsNow' : 'waits', data, [
        ...evidence,
        { object: ref, field, value: `${timeoutSeconds}` },
        all,
      ]);
    }
    const requests = requestsText(matched.map(({ about }) => about));
    const unmarked = matched.some(({ about }) => about.impact === noStatus);
    const harming = matched.filter(({ about }) => !unmarked || about.impact !== nodeNotReadyText);
    const { harm, all } = writesHarmed(callout, harming);
    return find('covered', { requests, webhook, harm }, [...evidence, all]);
  },
});
