import { namespace, service } from '../../cluster/manifests.ts';
import { apiService } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const apiserviceWithoutEndpoints = defineScenario({
  slug: 'apiservice-without-endpoints',
  story: [
    'The metrics server cannot start on any node.',
    'Its APIService is unavailable, and says so.',
    'kubectl top fails, and every client that does discovery complains.',
  ],
  source: 'https://github.com/k3s-io/k3s/issues/5946',
  parts: [
    namespace('resource-metrics'),
    service('resource-metrics/metrics-server'),
    deployment('resource-metrics/metrics-server', {
      replicas: 1,
      spec: { nodeSelector: { pool: 'system' } },
    }),
    apiService('v1beta1.metrics.example.com', 'resource-metrics/metrics-server', {
      reason: 'MissingEndpoints',
      message:
        'endpoints for service/metrics-server in "resource-metrics" have no addresses with port name "https"',
    }),
  ],
  expect: [
    {
      callout: 'apiservice/v1beta1.metrics.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-unschedulable',
      effect: 'blocks',
    },
  ],
});
