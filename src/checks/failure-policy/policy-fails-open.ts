import { mayCover } from '../../apiserver/admission/impact.ts';
import { vital } from '../../apiserver/admission/vital-request.ts';
import { type AdmissionCallout, failsOpen, isAdmission, webhookEvidence } from '../../facts/callout.ts';
import { listed } from '../../phrases/lists.ts';
import { enforcedBy, productOf } from '../../products/of-webhook.ts';
import { defineCheck, note } from '../check.ts';

/** True for a validating webhook of an unknown product for workloads: its purpose is to deny requests. */
export const guardsPods = (callout: AdmissionCallout): boolean =>
  callout.kind === 'validating' &&
  productOf(callout) === undefined &&
  podCreations.some(({ request }) => mayCover(callout, request));

const podCreations = [
  vital('CREATE', 'v1', 'pods'),
  ...['deployments', 'daemonsets', 'statefulsets'].map((name) => vital('CREATE', 'apps/v1', name)),
];

export const policyFailsOpen = defineCheck({
  meta: {
    id: 'policy-fails-open',
    title: 'Policy or security webhook fails open',
    severity: 'warning',
    why: 'With failurePolicy Ignore, the API server silently skips this webhook when the call fails, and admits the request. Anything that makes the webhook slow or unreachable, by load or on purpose, bypasses it.',
    advice:
      '[with] Decide which is worse, an outage or a gap. [end] For Fail, run at least two replicas on two nodes and exclude kube-system and the namespace of the webhook by namespaceSelector: `kubectl webhook failclosed {configuration}`. [end] For Ignore, alert on `apiserver_admission_webhook_fail_open_count`: `kubectl webhook alerts`. [look] Review the requests that bypassed it: `kubectl webhook scan FILE`.',
    noRemedy: {
      because:
        'failing closed is safe only after two replicas respond: kubectl webhook failclosed sets it then',
    },
    messages: {
      ignored: 'When calls to {webhook} fail, {what} are not enforced: {product} sets failurePolicy Ignore',
      unlisted: note(
        'When calls to {webhook} fail, {resources} are admitted without its validation: its failurePolicy is Ignore',
      ),
    },
    follows: ['failing-open-now'],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) =>
    callouts
      .filter(isAdmission)
      .filter((callout) => failsOpen(callout) && callout.rules.length > 0)
      .filter((callout) => enforcedBy(callout.webhook) !== undefined || guardsPods(callout)),
  run(callout, _facts, find) {
    const { webhook } = callout;
    const evidence = [webhookEvidence(callout, 'failurePolicy', 'Ignore')];
    const enforced = enforcedBy(webhook);
    if (enforced !== undefined) {
      const { product, what } = enforced;
      return find('ignored', { webhook, product, what }, evidence);
    }
    const resources = listed([...new Set(callout.rules.flatMap(({ resources }) => resources))]);
    return find('unlisted', { webhook, resources }, evidence);
  },
});
