import { namespace, node, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const nodeNotReady = defineScenario({
  slug: 'node-not-ready',
  story: [
    'The node with all replicas stopped answering three minutes ago.',
    'Its Pods are out of the endpoints, and not yet replaced.',
    'They will be, when the tolerations run out.',
  ],
  source: 'https://github.com/kyverno/kyverno/issues/2179',
  parts: [
    namespace('topology'),
    node('worker-lost', { ready: false }),
    service('topology/topology-policy'),
    deployment('topology/topology-policy', {
      spec: { nodeSelector: { 'kubernetes.io/hostname': 'worker-lost' } },
    }),
    validating('topology-policy', [
      webhook('topology-policy.example.com', { service: 'topology/topology-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/topology-policy/topology-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-node-not-ready',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
