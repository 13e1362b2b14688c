import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const unreachableFromControlPlane = defineScenario({
  slug: 'unreachable-from-control-plane',
  story: [
    'The Pods have addresses of an overlay network that ends at the nodes.',
    'The control plane is not a node.',
    'A port-forward answers; the API server itself finds no way.',
  ],
  source: 'https://github.com/kubernetes-sigs/jobset/issues/977',
  parts: [
    namespace('overlay'),
    service('overlay/overlay-policy'),
    deployment('overlay/overlay-policy', { pods: [running({ network: 'rejects' })] }),
    validating('overlay-policy', [
      webhook('overlay-policy.example.com', { service: 'overlay/overlay-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/overlay-policy/overlay-policy.example.com',
      state: 'failing',
      link: 'network',
      cause: 'unreachable-from-control-plane',
      effect: 'blocks',
    },
  ],
});
