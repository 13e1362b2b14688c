import { matchEvidence } from '../../apiserver/admission/match-evidence.ts';
import { vital, vitalRequestsMatched } from '../../apiserver/admission/vital-request.ts';
import { controllers } from '../../apiserver/deadlock/admission-path.ts';
import { namedList } from '../../phrases/lists.ts';
import { ownClosedWebhooks } from '../../products/of-webhook.ts';
import { systemNamespaces } from '../../products/system-namespaces.ts';
import { defineCheck } from '../check.ts';

export const coversSystemNamespaces = defineCheck({
  meta: {
    id: 'covers-system-namespaces',
    title: 'Webhook intercepts network, DNS and control plane Pods',
    severity: 'warning',
    why: 'No namespace is exempt from admission, not even kube-system. New nodes need the Pods of the CNI and kube-proxy, and every Pod needs DNS. While the webhook is down, none of them can be created, and without them its own Pods cannot run.',
    advice:
      '[end] Exclude the namespaces by namespaceSelector, for example `{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}`: `kubectl edit {kind} {configuration}`. [with] Exclusions inside the product do not help: the API server must not call it at all.',
    messages: {
      pods: '{webhook} intercepts new Pods in {namespaces}: while it is down, no Pod of the network, DNS or storage is replaced there',
    },
    follows: ['covers-everything'],
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-dependency-loops',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope',
    ],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects: ownClosedWebhooks,
  run(callout, facts, find) {
    const requests = systemNamespaces(facts).map((name) =>
      vital('CREATE', 'v1', 'pods', { namespace: name, user: controllers }),
    );
    const matched = vitalRequestsMatched(callout, requests, facts);
    if (matched.length === 0) return;
    const names = matched.map(({ about }) => about.request.namespace ?? '');
    const namespaces = namedList('namespace', names);
    return find('pods', { namespaces, webhook: callout.webhook }, matchEvidence(callout, matched));
  },
});
