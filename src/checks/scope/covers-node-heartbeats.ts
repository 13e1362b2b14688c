import { matchEvidence, requestsText } from '../../apiserver/admission/match-evidence.ts';
import {
  heartbeats,
  nodeNotReadyText,
  noStatus,
  vitalRequestsMatched,
  writesHarmed,
} from '../../apiserver/admission/vital-request.ts';
import {
  clientPatience,
  doesNotRespond,
  endedBeforeFailingOpen,
} from '../../apiserver/budget/late-failing-open.ts';
import { probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { failsOpen, webhookEvidence } from '../../facts/callout.ts';
import { ownWebhooks } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

export const coversNodeHeartbeats = defineCheck({
  meta: {
    id: 'covers-node-heartbeats',
    title: 'Webhook intercepts node and controller heartbeats',
    severity: 'warning',
    why: 'Kubelets, scheduler and controllers report through the API server, many times a second in a large cluster, and no report is exempt from admission. While a webhook that matches them is down, nodes and leaders appear failed. With failurePolicy Ignore, that also happens if the call takes longer than the client waits (5 s for a Lease).',
    advice:
      '[end] List the resources that the webhook validates in its rules, without `*/*` and `pods/*`, which match the subresources: `kubectl edit {kind} {configuration}`. [end] Exclude kube-system and kube-node-lease by namespaceSelector. [end] With failurePolicy Ignore, timeoutSeconds of 2 lets these requests pass in time.',
    messages: {
      covered: '{webhook} intercepts {requests}: while it is down, {harm}',
      waits: 'Clients end {requests} after {limit} s, before {webhook} fails open: while it is down, {harm}',
      waitsNow: {
        text: '{webhook} does not respond. Clients end {requests} after {limit} s, before it fails open: {harm}',
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
    const matched = failsOpen(callout)
      ? endedBeforeFailingOpen(callout, ownWebhooks(facts), facts)
      : vitalRequestsMatched(callout, heartbeats(callout, facts), facts);
    const [first] = matched;
    if (first === undefined) return;
    const evidence = matchEvidence(callout, matched);
    const { webhook, timeoutSeconds } = callout;
    if (failsOpen(callout)) {
      const { harm, all } = writesHarmed(callout, matched);
      const limit = clientPatience(first.about);
      const data = { requests: requestsText([first.about]), webhook, limit, harm };
      return find(doesNotRespond(callout, facts) ? 'waitsNow' : 'waits', data, [
        ...evidence,
        webhookEvidence(callout, 'timeoutSeconds', timeoutSeconds),
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
