import { matchEvidence } from '../../apiserver/admission/match-evidence.ts';
import { selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import { vital, vitalRequestsMatched } from '../../apiserver/admission/vital-request.ts';
import type { RuleWithOperations } from '../../facts/callout.ts';
import { ownClosedWebhooks } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

/** Returns whether a rule matches every group and every resource; `all`: including subresources. */
function breadth({ apiGroups, resources }: RuleWithOperations): 'all' | 'allResources' | undefined {
  if (!apiGroups.includes('*')) return undefined;
  if (resources.includes('*/*')) return 'all';
  return resources.includes('*') ? 'allResources' : undefined;
}

export const coversEverything = defineCheck({
  meta: {
    id: 'covers-everything',
    title: 'Rule matches every resource',
    severity: 'warning',
    why: 'Such a rule sends almost every write to one backend, including writes of the control plane and for its own Pods. Only webhook configurations, admission policies and, from 1.37 on, token and access reviews are exempt. While it is down, the cluster is read-only.',
    advice:
      '[end] List the resources that the webhook validates in its rules instead of `*`: `kubectl edit {kind} {configuration}`. [end] If the product must see everything, exclude kube-system, kube-node-lease and its own namespace by namespaceSelector and cluster-scoped objects by `scope: Namespaced`, or set failurePolicy to Ignore.',
    messages: {
      all: '{webhook} intercepts every write of any resource and subresource: rule {rule} matches */*',
      allResources:
        '{webhook} intercepts every write of any resource: rule {rule} matches * in every API group',
    },
    references: [
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope',
    ],
  },
  requires: ['version', 'callouts', 'namespaces', 'served'],
  subjects: ownClosedWebhooks,
  run(callout, facts, find) {
    const { rules, webhook } = callout;
    const at = rules.findIndex((rule) => breadth(rule) === 'all');
    const broad = at >= 0 ? at : rules.findIndex((rule) => breadth(rule) !== undefined);
    const rule = rules[broad];
    const how = rule && breadth(rule);
    if (rule === undefined || how === undefined) return;
    // Selectors and matchConditions count as well: a rule that matches no request blocks nothing.
    const [one = 'kube-system'] = selectedNamespaces(callout, facts);
    const tries = (['CREATE', 'UPDATE', 'DELETE'] as const).flatMap((operation) => [
      vital(operation, 'v1', 'configmaps', { namespace: one }),
      vital(operation, 'v1', 'nodes'),
    ]);
    const matched = vitalRequestsMatched({ ...callout, rules: [rule] }, tries, facts);
    if (matched.length === 0) return;
    return find(how, { webhook, rule: broad + 1 }, matchEvidence(callout, matched));
  },
});
