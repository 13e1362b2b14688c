import { matchEvidence, requestsText } from '../../apiserver/admission/match-evidence.ts';
import {
  heartbeats,
  nodeNotReadyText,
  noStatus,
  vitalRequestsMatched,
  writesHarmed,
} from '../../apiserver/admission/vital-request.ts';
import { ownClosedWebhooks } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

export const coversNodeHeartbeats = defineCheck({
  meta: {
    id: 'covers-node-heartbeats',
    link: 'scope',
    title: 'Webhook intercepts node and controller heartbeats',
    severity: 'warning',
    explains: { 'heartbeat-refused': 1, 'webhook-scope-reported': 1 },
    why: 'Kubelets, the scheduler and the controllers report through the API server, many times a second in a large cluster, and none of it is exempt from admission. A webhook with failurePolicy Fail that matches it is part of the control plane: while it is down, nodes and leaders appear failed, or failed ones appear healthy.',
    advice:
      'List the resources that the webhook validates in its rules, without `*/*` and `pods/*`, which match the subresources: `kubectl edit {kind} {configuration}`. Exclude kube-system and kube-node-lease by namespaceSelector.',
    messages: {
      covered: '{requests} must pass {webhook}: while it is down, {harm}',
    },
    follows: ['covers-everything'],
    references: [
      '/docs/concepts/architecture/nodes/#node-heartbeats',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope',
    ],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects: ownClosedWebhooks,
  run(callout, facts, find) {
    const matched = vitalRequestsMatched(callout, heartbeats(callout, facts), facts);
    if (matched.length === 0) return;
    const requests = requestsText(matched.map(({ about }) => about));
    const unmarked = matched.some(({ about }) => about.impact === noStatus);
    const harming = matched.filter(({ about }) => !unmarked || about.impact !== nodeNotReadyText);
    const { harm, all } = writesHarmed(callout, harming);
    const data = { requests, webhook: callout.webhook, harm };
    return find('covered', data, [...matchEvidence(callout, matched), all]);
  },
});
