import { exemption } from '../../apiserver/admission/exempt.ts';
import { isAdmission, type RuleWithOperations } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

const configuration = ['admissionregistration.k8s.io'];
const virtual = ['authentication.k8s.io', 'authorization.k8s.io'];

/**
 * Entries that name such a resource on purpose. A `*` for all groups, or for all resources, does not. Whether reviews of
 * tokens and rights are exempt depends on the version: nothing is said where nobody knows it.
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
    link: 'registration',
    title: 'A rule names a resource that no webhook is asked about',
    severity: 'info',
    why: 'The API server never sends webhook configurations and admission policies to a webhook, so that nobody can lock themselves out, and from 1.37 on no reviews of tokens and rights either, which nothing stores: this part of the rule has no effect.',
    advice:
      'Guard configurations and policies with RBAC, or with a static admission configuration of the API server; let authorization decide about reviews. The rule can lose the resource.',
    noRemedy: 'up-to-its-owner',
    messages: { exempt: 'Rules name {resources}, which are never sent to a webhook' },
    references: ['https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/'],
  },
  requires: ['version', 'callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission).filter(({ rules }) => rules.length > 0),
  run(callout, { version }, find) {
    const resources = [...new Set(callout.rules.flatMap(exemptEntries(version)))].join(', ');
    if (resources === '') return;
    return find('exempt', { resources }, [
      { object: callout.ref, field: `webhooks[${callout.index}].rules[*].resources`, value: resources },
    ]);
  },
});
