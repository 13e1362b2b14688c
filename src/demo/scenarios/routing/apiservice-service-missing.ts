import { namespace } from '../../cluster/manifests.ts';
import { apiService } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const apiserviceServiceMissing = defineScenario({
  slug: 'apiservice-service-missing',
  story: [
    'A metrics adapter was removed by deleting its manifests, but for the APIService.',
    "The API server says so itself, in the APIService's condition.",
    'Discovery fails for everybody, and with it the deletion of namespaces.',
  ],
  source: 'https://github.com/scality/metalk8s/issues/1624',
  parts: [
    namespace('metrics'),
    apiService('v1beta1.custom.metrics.example.com', 'metrics/adapter', {
      reason: 'ServiceNotFound',
      message: 'service/adapter in "metrics" is not present',
    }),
  ],
  expect: [
    {
      callout: 'apiservice/v1beta1.custom.metrics.example.com',
      state: 'failing',
      link: 'routing',
      cause: 'service-missing',
      effect: 'blocks',
    },
  ],
});
