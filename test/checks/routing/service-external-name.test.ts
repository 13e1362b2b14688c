import { serviceExternalName } from '../../../src/checks/routing/service-external-name.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, objects, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { dryRun, tried } from '../probed.ts';

const services = objects(
  service({ type: 'ExternalName', clusterIP: '', externalName: 'policy.example.com' }),
);
const alias = service({ type: 'ExternalName', clusterIP: '', externalName: 'real.policy.svc.cluster.local' });
const real = { ...service(), metadata: { namespace: 'policy', name: 'real' } };
/** A Service that points to another one, and the result of the API server's own call. */
const calledBy = (message: string, status = 500) => ({
  ...tried([], { dryRun: { ...dryRun(message), status } }),
  services: objects(alias, real),
});
const notFound =
  'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp: lookup real.policy.svc.cluster.local on 192.0.2.53:53: no such host';
const data = { service: 'shop/policy', host: 'policy.example.com' };

describeCheck(serviceExternalName, {
  reports: [
    {
      name: 'the name that the API server will ask for',
      facts: healthy({ services }),
      expect: { messageId: 'dialled', data },
    },
    {
      name: 'the error of an API server that connects to replicas',
      facts: healthy({ services, routing: { mode: 'endpoints' } }),
      expect: { messageId: 'refused', data: { service: 'shop/policy' } },
    },
    {
      name: 'the name of another Service, which only cluster DNS resolves',
      facts: healthy({ services: objects(alias, real) }),
      expect: {
        messageId: 'clusterName',
        data: { service: 'shop/policy', host: 'real.policy.svc.cluster.local', target: 'policy/real' },
      },
    },
    {
      name: 'the same, which the API server has not resolved',
      facts: calledBy(notFound),
      expect: {
        messageId: 'unresolved',
        confidence: 'observed',
        data: { service: 'shop/policy', host: 'real.policy.svc.cluster.local', target: 'policy/real' },
      },
    },
    {
      name: 'the same, where the call fails for another reason',
      facts: calledBy(notFound.replace(/dial tcp.*/, 'EOF')),
      expect: { messageId: 'clusterName' },
    },
    {
      name: 'a name like that of a Service, where there is no such Service',
      facts: healthy({ services: objects(alias) }),
      expect: { messageId: 'dialled' },
    },
    {
      name: 'both if the routing mode is unknown',
      facts: healthy({ services, routing: { mode: undefined } }),
      expect: { messageId: 'refusedOrDialled', data },
    },
  ],
  reportsNothing: [
    {
      name: 'the API server resolves the names of Services: it runs in a Pod',
      facts: calledBy('', 201),
      outcome: 'pass',
    },
    { name: 'the Service has an address', facts: healthy() },
    { name: 'the Service says no type', facts: healthy({ services: objects({ ...service(), spec: {} }) }) },
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    {
      name: 'the webhook calls a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com' } })] },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'Services may not be read', facts: healthy({ services: forbidden('services') }) }],
});
