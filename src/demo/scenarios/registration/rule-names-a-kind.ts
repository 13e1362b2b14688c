import { namespace, service } from '../../cluster/manifests.ts';
import { rule, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const ruleNamesAKind = defineScenario({
  slug: 'rule-names-a-kind',
  story: [
    'A rule names the Kind instead of the resource.',
    'It matches nothing.',
    'The policy has never run, and nothing says so.',
  ],
  parts: [
    namespace('ingress'),
    service('ingress/ingress-policy'),
    deployment('ingress/ingress-policy'),
    validating('ingress-policy', [
      webhook('ingress-policy.example.com', {
        service: 'ingress/ingress-policy',
        rules: [rule('networking.k8s.io/v1', 'Ingress')],
      }),
    ]),
  ],
  expect: [],
  also: ['rule-resource-unknown'],
});
