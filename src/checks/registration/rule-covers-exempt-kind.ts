import { exemption } from '../../apiserver/exempt.ts';
import { isAdmission, type RuleWithOperations } from '../../facts/callout.ts';
import { defineCheck } from '../check.ts';

const group = 'admissionregistration.k8s.io';

/** Entries that name such a resource on purpose. A `*` for all groups, or for all resources, does not. */
const exemptEntries = ({ apiGroups, resources }: RuleWithOperations): readonly string[] =>
  apiGroups.includes(group) || apiGroups.includes('*')
    ? resources.filter((entry) => exemption({ group, resource: entry }) === 'admission-configuration')
    : [];

export const ruleCoversExemptKind = defineCheck({
  meta: {
    id: 'rule-covers-exempt-kind',
    link: 'registration',
    title: 'A rule names a resource that no webhook is asked about',
    severity: 'info',
    why: 'The API server never sends webhook configurations and admission policies to a webhook, so that nobody can lock themselves out: this part of the rule has no effect.',
    advice:
      'Guard these objects with RBAC, or with a static admission configuration of the API server. The rule can lose the resource.',
    messages: { exempt: 'Rules name {resources}, which are never sent to a webhook' },
    references: ['https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/'],
  },
  requires: ['callouts'],
  subjects: ({ callouts }) => callouts.filter(isAdmission).filter(({ rules }) => rules.length > 0),
  run(callout, _facts, find) {
    const resources = [...new Set(callout.rules.flatMap(exemptEntries))].join(', ');
    if (resources === '') return;
    return find('exempt', { resources }, [
      { object: callout.ref, field: `webhooks[${callout.index}].rules[*].resources`, value: resources },
    ]);
  },
});
