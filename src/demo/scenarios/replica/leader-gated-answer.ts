import { running } from '../../cluster/behaviour.ts';
import { lease, namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const leaderGatedAnswer = defineScenario({
  slug: 'leader-gated-answer',
  story: [
    'All replicas serve the webhook, from a cache that only the leader fills.',
    'The others know no cluster, and say so in a denial.',
    'Which answer a user gets depends on the connection that the API server keeps.',
  ],
  source: 'https://github.com/kubernetes-retired/hierarchical-namespaces/pull/94',
  parts: [
    namespace('fleet'),
    service('fleet/fleet-policy'),
    deployment('fleet/fleet-policy', {
      replicas: 3,
      pods: [running({}), running({ answer: 'deny', message: 'cluster "prod-1" not found' })],
    }),
    lease('fleet/fleet-controller', 'fleet-policy'),
    validating('fleet-policy', [webhook('fleet-policy.example.com', { service: 'fleet/fleet-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/fleet-policy/fleet-policy.example.com',
      state: 'degraded',
      link: 'replica',
      cause: 'leader-gated-answer',
      effect: 'blocks',
    },
  ],
});
