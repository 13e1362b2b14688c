import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const unschedulable = defineScenario({
  slug: 'unschedulable',
  story: [
    'The node pool that a webhook is bound to was renamed.',
    'Its Pods went with the old nodes.',
    'The scheduler finds no node for the new ones, and says why.',
  ],
  source: 'https://github.com/kubernetes-sigs/jobset/pull/303',
  parts: [
    namespace('jobsets'),
    service('jobsets/jobset-controller'),
    deployment('jobsets/jobset-controller', { spec: { nodeSelector: { pool: 'controllers' } } }),
    validating('jobset-controller', [
      webhook('jobset-controller.example.com', { service: 'jobsets/jobset-controller' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/jobset-controller/jobset-controller.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-unschedulable',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
