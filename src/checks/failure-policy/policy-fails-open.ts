import { failsOpen, isAdmission } from '../../facts/callout.ts';
import { enforcedBy } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

export const policyFailsOpen = defineCheck({
  meta: {
    id: 'policy-fails-open',
    link: 'failure-policy',
    title: 'A policy or security webhook fails open',
    severity: 'warning',
    why: 'With failurePolicy Ignore the API server lets every request pass when the call fails, without a word to anybody. Whoever can make the webhook slow or unreachable for a moment, by load or by chance, gets past it.',
    advice:
      'Decide which is worse, an outage or a gap. For Fail: run at least two replicas on two nodes, leave kube-system and its own namespace out by namespaceSelector, then set it where the product is configured, or it will be set back. For Ignore: watch `apiserver_admission_webhook_fail_open_count`, and look regularly for objects that got past it.',
    noRemedy: {
      because: 'closing it is right only once two replicas answer: kubectl webhook failclosed does it then',
    },
    messages: {
      ignored:
        'While a call to {webhook} fails, {what} are not enforced: {product} registers it with failurePolicy Ignore',
    },
    follows: ['failing-open-now'],
    references: [
      'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy',
    ],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter((callout) => failsOpen(callout) && callout.rules.length > 0)
      .filter(({ webhook }) => enforcedBy(webhook) !== undefined),
  run({ ref, index, webhook }, _facts, find) {
    const enforced = enforcedBy(webhook);
    if (enforced === undefined) return;
    return find('ignored', { webhook, ...enforced }, [
      { object: ref, field: `webhooks[${index}].failurePolicy`, value: 'Ignore' },
    ]);
  },
});
