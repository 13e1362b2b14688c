import { internalTrafficPolicyLocal } from '../../../src/checks/routing/internal-traffic-policy-local.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, objects, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { allows, dryRun, tried } from '../probed.ts';

const services = objects(service({ internalTrafficPolicy: 'Local' }));
const local = { messageId: 'local', data: { service: 'shop/policy' } };

describeCheck(internalTrafficPolicyLocal, {
  reports: [
    { name: 'a Service that keeps calls on the node', facts: healthy({ services }), expect: local },
    {
      name: 'the same if the routing mode is unknown',
      facts: healthy({ services, routing: { mode: undefined } }),
      expect: local,
    },
    {
      name: 'a risk if the call of the API server succeeds',
      facts: tried([allows], { dryRun: dryRun(), facts: { services } }),
      expect: { messageId: 'reached', data: { service: 'shop/policy' } },
    },
  ],
  reportsNothing: [
    { name: 'the policy is Cluster', facts: healthy() },
    {
      name: 'the policy is not set',
      facts: healthy({ services: objects({ ...service(), spec: { clusterIP: '203.0.113.10' } }) }),
    },
    {
      name: 'the API server connects to the replicas',
      facts: healthy({ services, routing: { mode: 'endpoints' } }),
    },
    {
      name: 'the Service is headless, which kube-proxy does not serve',
      facts: healthy({ services: objects(service({ clusterIP: 'None', internalTrafficPolicy: 'Local' })) }),
    },
    {
      name: 'the webhook calls a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com' } })] },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'Services may not be read', facts: healthy({ services: forbidden('services') }) }],
});
