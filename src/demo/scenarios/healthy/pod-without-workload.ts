import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, webhook } from '../../cluster/webhook-manifests.ts';
import { barePod } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const podWithoutWorkload = defineScenario({
  slug: 'pod-without-workload',
  story: [
    'A single Pod, made by hand, serves a webhook that ignores failures.',
    'No workload stands behind it.',
    'It is ready, and that is all that a call needs.',
  ],
  parts: [
    namespace('handmade'),
    service('handmade/handmade-defaults'),
    barePod('handmade/handmade-defaults'),
    mutating('handmade-defaults', [
      webhook('handmade-defaults.example.com', {
        service: 'handmade/handmade-defaults',
        failurePolicy: 'Ignore',
      }),
    ]),
  ],
  expect: [],
});
