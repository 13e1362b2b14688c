import { namespace, service } from '../../cluster/manifests.ts';
import { rule, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const ownNamespaceExcluded = defineScenario({
  slug: 'own-namespace-excluded',
  story: [
    'A webhook that fails closed covers all Pods.',
    'Its own namespace and kube-system are left out by namespaceSelector.',
    'It can start again after any outage.',
  ],
  parts: [
    namespace('careful'),
    service('careful/careful-policy'),
    deployment('careful/careful-policy'),
    validating('careful-policy', [
      webhook('careful-policy.example.com', {
        service: 'careful/careful-policy',
        rules: [rule('v1', 'pods', 'CREATE')],
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['careful', 'kube-system'] },
          ],
        },
      }),
    ]),
  ],
  expect: [],
});
