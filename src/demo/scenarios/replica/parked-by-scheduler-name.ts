import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const parkedBySchedulerName = defineScenario({
  slug: 'parked-by-scheduler-name',
  story: [
    'A webhook of a scheduler set schedulerName on the Pods of another webhook.',
    'The scheduler is gone.',
    'Nobody schedules them, and no event says so.',
  ],
  source: 'https://github.com/gardener/gardener/pull/6610',
  parts: [
    namespace('queueing'),
    service('queueing/queue-policy'),
    deployment('queueing/queue-policy', { spec: { schedulerName: 'gang-scheduler' } }),
    validating('queue-policy', [webhook('queue-policy.example.com', { service: 'queueing/queue-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/queue-policy/queue-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-unschedulable',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
