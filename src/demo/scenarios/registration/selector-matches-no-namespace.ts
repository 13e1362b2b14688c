import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const selectorMatchesNoNamespace = defineScenario({
  slug: 'selector-matches-no-namespace',
  story: [
    'A webhook is limited to namespaces with a label.',
    'No namespace carries it.',
    'Nobody is protected, and nothing fails.',
  ],
  parts: [
    namespace('compliance'),
    service('compliance/compliance-policy'),
    deployment('compliance/compliance-policy'),
    validating('compliance-policy', [
      webhook('compliance-policy.example.com', {
        service: 'compliance/compliance-policy',
        namespaceSelector: { matchLabels: { compliance: 'strict' } },
      }),
    ]),
  ],
  expect: [],
  also: ['namespace-selector-matches-nothing'],
});
