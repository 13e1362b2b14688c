import { installation } from '../cluster/installation.ts';
import { rule, validating, webhook } from '../cluster/webhook-manifests.ts';
import type { Scenario } from './scenario.ts';

/** Failures at the link registration. */
export const registrationScenarios: readonly Scenario[] = [
  {
    slug: 'rule-names-a-kind',
    story:
      'A rule names the Kind instead of the resource. It matches nothing. The policy has never been enforced, and no error is reported.',
    parts: installation('ingress/ingress-policy', {
      validating: { rules: [rule('networking.k8s.io/v1', 'Ingress')] },
    }),
  },
  {
    slug: 'selector-matches-no-namespace',
    story:
      'A webhook is limited to namespaces with a label. No namespace has it. No object is checked, and nothing fails.',
    parts: installation('compliance/compliance-policy', {
      validating: { namespaceSelector: { matchLabels: { compliance: 'strict' } } },
    }),
  },
  {
    slug: 'two-configurations-one-name',
    story:
      'A release was renamed, and the old configuration remains next to the new one. Both register a webhook of the same name. Every request is checked twice, and errors do not name the configuration.',
    parts: [
      ...installation('replicas-guard/guard', {
        validating: { configuration: 'replicas-guard', name: 'guard.replicas.example.com' },
      }),
      validating('replicas-guard-old', [
        webhook('guard.replicas.example.com', { service: 'replicas-guard/guard' }),
      ]),
    ],
  },
  {
    slug: 'webhook-name-twice',
    story:
      'Two teams copied the same example, and its webhook name with it. They run different programs. An error or a metric that names the webhook may mean either.',
    parts: [
      ...installation('team-red/red-policy', {
        deployment: { container: { image: 'registry.example.com/red:1.0.0' } },
        validating: { name: 'validate.example.com' },
      }),
      ...installation('team-blue/blue-policy', {
        deployment: { container: { image: 'registry.example.com/blue:1.0.0' } },
        validating: { name: 'validate.example.com', rules: [rule('networking.k8s.io/v1', 'ingresses')] },
      }),
    ],
  },
  {
    slug: 'old-side-effects',
    story:
      'A webhook was registered years ago, with sideEffects Unknown. No served version of the API accepts that value today, and none removes it. Every matching dry run is refused, whatever the failurePolicy.',
    parts: installation('antique/antique-policy', { validating: { sideEffects: 'Unknown' } }),
  },
];
