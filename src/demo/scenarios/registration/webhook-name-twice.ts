import { namespace, service } from '../../cluster/manifests.ts';
import { rule, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const webhookNameTwice = defineScenario({
  slug: 'webhook-name-twice',
  story: [
    'Two teams copied the same example, and its webhook name with it.',
    'They run different programs.',
    'An error or a metric that names the webhook may mean either.',
  ],
  parts: [
    namespace('team-red'),
    service('team-red/red-policy'),
    deployment('team-red/red-policy', { container: { image: 'registry.example.com/red:1.0.0' } }),
    validating('red-policy', [webhook('validate.example.com', { service: 'team-red/red-policy' })]),
    namespace('team-blue'),
    service('team-blue/blue-policy'),
    deployment('team-blue/blue-policy', { container: { image: 'registry.example.com/blue:1.0.0' } }),
    validating('blue-policy', [
      webhook('validate.example.com', {
        service: 'team-blue/blue-policy',
        rules: [rule('networking.k8s.io/v1', 'ingresses')],
      }),
    ]),
  ],
  expect: [],
  also: ['duplicate-webhook-name'],
});
