import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const servicePortNotTcp = defineScenario({
  slug: 'service-port-not-tcp',
  story: [
    'A port of a Service was declared as UDP, by a copy from a DNS server.',
    'The API server finds the port by its number and calls over TCP.',
    'kube-proxy has no rule for that; only an API server that routes to endpoints would not notice.',
  ],
  parts: [
    namespace('resolver'),
    service('resolver/resolver-policy', { ports: [{ port: 443, targetPort: 8443, protocol: 'UDP' }] }),
    deployment('resolver/resolver-policy'),
    validating('resolver-policy', [
      webhook('resolver-policy.example.com', { service: 'resolver/resolver-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/resolver-policy/resolver-policy.example.com',
      state: 'unknown',
      link: 'routing',
      cause: 'service-not-proxied',
    },
  ],
});
