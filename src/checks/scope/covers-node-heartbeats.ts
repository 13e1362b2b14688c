import { askedEvidence, requestsText } from '../../apiserver/admission/asked-evidence.ts';
import {
  askedAbout,
  harmText,
  heartbeats,
  noStatus,
  takenForDead,
} from '../../apiserver/admission/vital-request.ts';
import { ownClosedWebhooks } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

export const coversNodeHeartbeats = defineCheck({
  meta: {
    id: 'covers-node-heartbeats',
    link: 'scope',
    title: 'What nodes and controllers write all the time must pass the webhook',
    severity: 'warning',
    why: 'Kubelets, the scheduler and the controllers report through the API server, many times a second in a large cluster. Nothing of it is exempt from admission: a webhook that fails closed and covers it is a part of the control plane, and while it does not answer nodes and leaders seem dead, or dead ones alive.',
    advice:
      'Name the resources that the webhook judges in its rules, without `*/*` and without `pods/*`, which both cover the subresources; leave kube-system and kube-node-lease out by namespaceSelector.',
    messages: {
      covered: '{requests} must pass {webhook}: while it does not answer, {harm}',
    },
    follows: ['covers-everything'],
    references: ['https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats'],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects: ownClosedWebhooks,
  run(callout, facts, find) {
    const asked = askedAbout(callout, heartbeats(callout, facts), facts);
    if (asked.length === 0) return;
    const requests = requestsText(asked.map(({ about }) => about));
    const unmarked = asked.some(({ about }) => about.harm === noStatus);
    const harming = asked.filter(({ about }) => !unmarked || about.harm !== takenForDead);
    const data = { requests, webhook: callout.webhook, harm: harmText(harming) };
    return find('covered', data, askedEvidence(callout, asked));
  },
});
