import { exemption } from '../../apiserver/admission/exempt.ts';
import { isAdmission, type RuleWithOperations, webhookEvidence } from '../../facts/callout.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck } from '../check.ts';

const configuration = ['admissionregistration.k8s.io'];
const virtual = ['authentication.k8s.io', 'authorization.k8s.io'];

/**
 * Entries that name such a resource explicitly, not by `*` for all groups or resources. Whether reviews of
 * tokens and access are exempt depends on the version: they are not reported if it is unknown.
 */
const exemptEntries =
  (version: string | undefined) =>
  ({ apiGroups, resources }: RuleWithOperations): readonly string[] => {
    const groups = [...configuration, ...(version === undefined ? [] : virtual)].filter(
      (group) => apiGroups.includes(group) || apiGroups.includes('*'),
    );
    return resources.filter((entry) =>
      groups.some((group) => exemption({ group, resource: entry }, version) !== undefined),
    );
  };

export const ruleCoversExemptKind = defineCheck({
  meta: {
    id: 'rule-covers-exempt-kind',
    title: 'Rule matches a resource that is never sent to webhooks',
    severity: 'info',
    why: 'The API server never sends webhook configurations and admission policies to webhooks, so that no webhook can lock users out. From 1.37 on, it sends no token and access reviews either. This part of the rule has no effect.',
    advice:
      '[end] Remove the resource from the rule: `kubectl edit {kind} {configuration}`. [look] RBAC decides who may change webhook configurations and admission policies: `kubectl auth can-i update validatingwebhookconfigurations --as USER`. [end] For reviews, use an authorizer.',
    noRemedy: 'up-to-its-owner',
    messages: { exempt: 'Rules match {resources}, which the API server never sends to a webhook' },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#excluded-virtual-resources',
      '/docs/concepts/cluster-administration/admission-webhooks-good-practices/#limit-edit-access',
    ],
  },
  requires: ['version', 'callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission).filter(({ rules }) => rules.length > 0),
  run(callout, { version }, find) {
    const resources = listed(new Set(callout.rules.flatMap(exemptEntries(version))));
    if (resources === '') return;
    return find('exempt', { resources }, [webhookEvidence(callout, 'rules[*].resources', resources)]);
  },
});
