import { notReady, running } from '../../cluster/behaviour.ts';
import { lease, namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const leaderGatedReadiness = defineScenario({
  slug: 'leader-gated-readiness',
  story: [
    'Only the leader passes its readiness probe.',
    'Calls work, for the Service leads to the leader alone.',
    'Two spare replicas are none: when the leader changes, nobody answers for a while.',
  ],
  parts: [
    namespace('standby'),
    service('standby/standby-policy'),
    deployment('standby/standby-policy', {
      replicas: 3,
      pods: [
        running({ gate: 'readiness' }),
        notReady('HTTP probe failed with statuscode: 503', { gate: 'readiness', leader: false }),
      ],
    }),
    lease('standby/standby-controller', 'standby-policy'),
    validating('standby-policy', [
      webhook('standby-policy.example.com', { service: 'standby/standby-policy' }),
    ]),
  ],
  expect: [],
  also: ['replica-readiness-failing'],
});
