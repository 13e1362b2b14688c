import { ready, starting } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const rolloutInProgress = defineScenario({
  slug: 'rollout-in-progress',
  story: [
    'A new version is rolled out.',
    'Its first Pod has just started; those of the old version serve.',
    'Nothing is wrong yet.',
  ],
  parts: [
    namespace('moving'),
    service('moving/moving-policy'),
    deployment('moving/moving-policy', { replicas: 3, previous: [ready, ready], pods: [starting] }),
    validating('moving-policy', [webhook('moving-policy.example.com', { service: 'moving/moving-policy' })]),
  ],
  expect: [],
});
