import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const urlNamesAService = defineScenario({
  slug: 'url-names-a-service',
  story: [
    'A webhook was configured by URL, with the name of a Service in it.',
    'The API server asks the resolver of its own host for URLs, and that knows nothing of cluster names.',
    'The name is right in every Pod and wrong for the only caller.',
  ],
  probe: 'none',
  parts: [
    namespace('mesh'),
    service('mesh/sidecar-injector'),
    deployment('mesh/sidecar-injector'),
    mutating('sidecar-injector', [
      webhook('inject.mesh.example.com', { url: 'https://sidecar-injector.mesh.svc:443/inject' }),
    ]),
  ],
  expect: [
    {
      callout: 'mutating/sidecar-injector/inject.mesh.example.com',
      state: 'failing',
      link: 'routing',
      cause: 'url-in-cluster-name',
      effect: 'blocks',
    },
  ],
});
