import { stuckTerminating } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { statefulSet } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const keptByAFinalizer = defineScenario({
  slug: 'kept-by-a-finalizer',
  story: [
    'The Pod of a StatefulSet was deleted and has ended, but a finalizer keeps it.',
    'Whoever should remove the finalizer is gone.',
    'Its name is taken, so no new Pod is made.',
  ],
  parts: [
    namespace('archive'),
    service('archive/archive-policy'),
    statefulSet('archive/archive-policy', {
      replicas: 1,
      pods: [stuckTerminating('archive.example.com/flush')],
    }),
    validating('archive-policy', [
      webhook('archive-policy.example.com', { service: 'archive/archive-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/archive-policy/archive-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-terminating-stuck',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
