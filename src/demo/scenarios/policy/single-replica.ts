import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const singleReplica = defineScenario({
  slug: 'single-replica',
  story: [
    'A webhook that fails closed has one replica.',
    'It works today.',
    'The next drain of its node stops the cluster.',
  ],
  source: 'https://github.com/DataDog/helm-charts/issues/438',
  parts: [
    namespace('lonely'),
    service('lonely/lonely-policy'),
    deployment('lonely/lonely-policy', { replicas: 1 }),
    validating('lonely-policy', [webhook('lonely-policy.example.com', { service: 'lonely/lonely-policy' })]),
  ],
  expect: [],
  also: ['outage-risk-single-replica'],
});
