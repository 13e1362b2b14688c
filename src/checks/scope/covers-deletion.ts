import { matchEvidence, requestsText } from '../../apiserver/admission/match-evidence.ts';
import { extentText, selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import {
  type VitalRequest,
  vital,
  vitalRequestsMatched,
  writesHarmed,
} from '../../apiserver/admission/vital-request.ts';
import { remembered } from '../../basics/derive.ts';
import { ownClosedWebhooks } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

const podsStayTerminating = 'Pods stay Terminating';
const namespaceNotDeletable = 'such namespaces cannot be deleted';

/** Every namespace has ConfigMap kube-root-ca.crt and ServiceAccount default: deletion includes theirs. */
const deletions = remembered((namespace: string): readonly VitalRequest[] => [
  vital('DELETE', 'v1', 'pods', { namespace, impact: podsStayTerminating }),
  vital('CREATE', 'v1', 'pods/eviction', { namespace, impact: 'nodes cannot be drained' }),
  vital('DELETE', 'v1', 'configmaps', { namespace, impact: namespaceNotDeletable }),
  vital('DELETE', 'v1', 'serviceaccounts', { namespace, impact: namespaceNotDeletable }),
  vital('DELETE', 'v1', 'secrets', { namespace, impact: namespaceNotDeletable }),
  vital('DELETE', 'v1', 'namespaces', { namespace, impact: namespaceNotDeletable }),
  vital('UPDATE', 'v1', 'namespaces/finalize', { namespace, impact: namespaceNotDeletable }),
]);

export const coversDeletion = defineCheck({
  meta: {
    id: 'covers-deletion',
    title: 'Webhook intercepts deletions',
    severity: 'warning',
    why: 'The kubelet removes a Pod with a DELETE request, and a namespace is removed after all its objects are deleted. While a webhook with failurePolicy Fail that matches these is down, Pods and namespaces stay in Terminating. It is down, for example, if its Deployment was deleted before its configuration.',
    advice:
      '[end] Remove DELETE (or `*`) from the operations of the rule, unless the webhook must prevent deletions: `kubectl edit {kind} {configuration}`. [end] In that case, exclude by namespaceSelector every namespace that must be deletable without it.',
    noRemedy: 'up-to-its-owner',
    messages: {
      covered: '{webhook} intercepts {requests} in {namespaces}: while it is down, {harm}',
    },
    follows: ['covers-everything'],
    references: [
      '/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-flow',
      '/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-terminating',
    ],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects: ownClosedWebhooks,
  run(callout, facts, find) {
    const selected = selectedNamespaces(callout, facts);
    const [one = 'kube-system'] = selected;
    const matched = vitalRequestsMatched(callout, deletions(one), facts);
    if (matched.length === 0) return;
    const { harm, all } = writesHarmed(callout, matched);
    const names = selected.length === 0 ? [one] : selected;
    const data = {
      requests: requestsText(matched.map(({ about }) => about)),
      namespaces: extentText(names, facts),
      webhook: callout.webhook,
      harm,
    };
    return find('covered', data, [...matchEvidence(callout, matched), all]);
  },
});
