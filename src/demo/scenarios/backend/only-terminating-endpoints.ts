import { leaving, starting } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const onlyTerminatingEndpoints = defineScenario({
  slug: 'only-terminating-endpoints',
  story: [
    'A Deployment was deleted while its webhook was still in use.',
    'Its Pods take their grace period, and still answer.',
    'kube-proxy goes on using them for as long as it lasts; an API server that routes to endpoints does not.',
  ],
  parts: [
    namespace('leaving'),
    service('leaving/farewell'),
    deployment('leaving/farewell', { replicas: 2, previous: [leaving, leaving], pods: [starting] }),
    validating('farewell', [webhook('farewell.example.com', { service: 'leaving/farewell' })]),
  ],
  expect: [{ callout: 'validating/farewell/farewell.example.com', state: 'healthy' }],
  also: ['endpoints-only-terminating'],
});
