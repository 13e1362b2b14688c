import { ago } from '../../cluster/ago.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, rule, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment, scaledBy } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const scaledToZeroByAnAutoscaler = defineScenario({
  slug: 'scaled-to-zero-by-an-autoscaler',
  story: [
    'An autoscaler scales idle workloads to zero.',
    'A webhook has no traffic that it could see, so it counts as idle.',
    'Nobody is there when the next request comes.',
  ],
  parts: [
    namespace('batch'),
    service('batch/batch-defaults'),
    deployment('batch/batch-defaults', {
      replicas: 0,
      metadata: { managedFields: scaledBy('keda', ago('3h')) },
    }),
    mutating('batch-defaults', [
      webhook('batch-defaults.example.com', {
        service: 'batch/batch-defaults',
        rules: [rule('batch/v1', 'jobs', 'CREATE')],
      }),
    ]),
  ],
  expect: [
    {
      callout: 'mutating/batch-defaults/batch-defaults.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'workload-scaled-to-zero',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
