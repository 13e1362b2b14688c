import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const hostNetwork = defineScenario({
  slug: 'host-network',
  story: [
    'The replicas use the network of their nodes.',
    "Their addresses are the nodes'.",
    'On managed control planes that is often the only way.',
  ],
  parts: [
    namespace('host'),
    service('host/host-policy', { ports: [{ port: 443, targetPort: 10250 }] }),
    deployment('host/host-policy', {
      spec: { hostNetwork: true },
      container: { ports: [{ containerPort: 10250, hostPort: 10250 }] },
    }),
    validating('host-policy', [webhook('host-policy.example.com', { service: 'host/host-policy' })]),
  ],
  expect: [],
});
