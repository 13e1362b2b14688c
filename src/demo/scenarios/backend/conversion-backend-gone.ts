import { namespace, service } from '../../cluster/manifests.ts';
import { customResource } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const conversionBackendGone = defineScenario({
  slug: 'conversion-backend-gone',
  story: [
    'The operator that converts a resource was scaled down over the weekend.',
    'Its CRD still names it for conversion.',
    'Controllers that list the resource in another version stop, those of the control plane among them.',
  ],
  source: 'https://github.com/kubernetes/kubernetes/issues/98071',
  parts: [
    namespace('hierarchy'),
    service('hierarchy/hierarchy-controller'),
    deployment('hierarchy/hierarchy-controller', { replicas: 0 }),
    customResource('subnamespaces.hierarchy.example.com', 'Subnamespace', {
      service: 'hierarchy/hierarchy-controller',
    }),
  ],
  expect: [
    {
      callout: 'crd/subnamespaces.hierarchy.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'workload-scaled-to-zero',
      effect: 'blocks',
      error: 'conversion webhook for hierarchy.example.com/',
    },
  ],
});
