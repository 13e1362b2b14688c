import { serviceNotProxied } from '../../../src/checks/routing/service-not-proxied.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, objects, port, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const udp = objects(service({ ports: [port({ protocol: 'UDP' })] }));
const labelled = objects(service({}, { labels: { 'service.kubernetes.io/service-proxy-name': 'acme' } }));
const notTcp = { service: 'shop/policy', port: 443, protocol: 'UDP' };

describeCheck(serviceNotProxied, {
  reports: [
    {
      name: 'a port that is UDP only',
      facts: healthy({ services: udp }),
      expect: { messageId: 'notTcp', data: notTcp },
    },
    {
      name: 'a doubt about it if the routing mode is unknown',
      facts: healthy({ services: udp, routing: { mode: undefined } }),
      expect: { messageId: 'perhapsNotTcp', data: notTcp },
    },
    {
      name: 'a Service that is left to another proxy',
      facts: healthy({ services: labelled }),
      expect: { messageId: 'otherProxy', data: { service: 'shop/policy', proxy: 'acme' } },
    },
    {
      name: 'a Service that is marked as headless and is not',
      facts: healthy({
        services: objects(service({}, { labels: { 'service.kubernetes.io/headless': '' } })),
      }),
      expect: { messageId: 'headlessLabel', data: { service: 'shop/policy' } },
    },
  ],
  reportsNothing: [
    { name: 'the port is TCP', facts: healthy() },
    {
      name: 'the port says no protocol',
      facts: healthy({ services: objects(service({ ports: [{ port: 443 }] })) }),
    },
    {
      name: 'the port is there for UDP and for TCP',
      facts: healthy({
        services: objects(
          service({ ports: [port({ name: 'udp', protocol: 'UDP' }), port({ name: 'tcp' })] }),
        ),
      }),
    },
    {
      name: 'the API server connects to the replicas',
      facts: healthy({ services: udp, routing: { mode: 'endpoints' } }),
    },
    {
      name: 'the Service has no such port',
      facts: healthy({ services: objects(service({ ports: [port({ port: 80, protocol: 'UDP' })] })) }),
    },
    {
      name: 'the Service is headless, which no proxy serves',
      facts: healthy({
        services: objects(service({ clusterIP: 'None', ports: [port({ protocol: 'UDP' })] })),
      }),
    },
    {
      name: 'the webhook calls a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com' } })] },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'Services may not be read', facts: healthy({ services: forbidden('services') }) }],
});
