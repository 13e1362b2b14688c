import { namespace, service } from '../../cluster/manifests.ts';
import { customResource } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const conversionServiceInOtherNamespace = defineScenario({
  slug: 'conversion-service-in-other-namespace',
  story: [
    'The namespace of the conversion webhook is hard-coded in the CRD as kube-system.',
    'The operator was installed somewhere else.',
    'Reading the resource in any version but the stored one fails.',
  ],
  source: 'https://github.com/aws/karpenter-provider-aws/issues/6818',
  parts: [
    namespace('node-autoscaler'),
    service('node-autoscaler/node-autoscaler'),
    deployment('node-autoscaler/node-autoscaler'),
    customResource('nodepools.autoscaler.example.com', 'NodePool', {
      service: 'kube-system/node-autoscaler',
    }),
  ],
  expect: [
    {
      callout: 'crd/nodepools.autoscaler.example.com',
      state: 'failing',
      link: 'routing',
      cause: 'service-missing',
      effect: 'blocks',
      error: 'service "node-autoscaler" not found',
    },
  ],
});
