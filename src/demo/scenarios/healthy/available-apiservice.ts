import { namespace, service } from '../../cluster/manifests.ts';
import { apiService } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const availableApiservice = defineScenario({
  slug: 'available-apiservice',
  story: [
    'An aggregated API is served by a Service and available.',
    "The API server's own APIServices are local.",
    'Only the first is called.',
  ],
  parts: [
    namespace('aggregated'),
    service('aggregated/aggregated-api'),
    deployment('aggregated/aggregated-api'),
    apiService('v1.aggregated.example.com', 'aggregated/aggregated-api'),
  ],
  expect: [],
});
