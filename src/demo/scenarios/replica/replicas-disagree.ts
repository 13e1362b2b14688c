import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const replicasDisagree = defineScenario({
  slug: 'replicas-disagree',
  story: [
    'A rollout stopped half-way, and nobody looked.',
    'The new version denies what the old one allows.',
    'The same request passes or fails by chance.',
  ],
  parts: [
    namespace('halfway'),
    service('halfway/halfway-policy'),
    deployment('halfway/halfway-policy', {
      pods: [running({}), running({ answer: 'deny', message: 'field spec.owner is required' })],
    }),
    validating('halfway-policy', [
      webhook('halfway-policy.example.com', { service: 'halfway/halfway-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/halfway-policy/halfway-policy.example.com',
      state: 'degraded',
      link: 'replica',
      cause: 'replicas-disagree',
      effect: 'blocks',
    },
  ],
});
