import { serviceHeadless } from '../../../src/checks/routing/service-headless.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, healthy, objects, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const headless = objects(service({ clusterIP: 'None', clusterIPs: ['None'] }));
const data = { service: 'shop/policy' };

describeCheck(serviceHeadless, {
  reports: [
    {
      name: 'a headless Service where the API server connects to Service addresses',
      facts: healthy({ services: headless }),
      expect: { messageId: 'noAddress', data },
    },
    {
      name: 'the same for an APIService',
      facts: healthy({ callouts: [aggregatedApi()], services: headless }),
      expect: { messageId: 'noAddress', data },
    },
    {
      name: 'a doubt if the routing mode is unknown',
      facts: healthy({ services: headless, routing: { mode: undefined } }),
      expect: { messageId: 'perhapsNoAddress', data },
    },
  ],
  reportsNothing: [
    { name: 'the Service has an address', facts: healthy() },
    {
      name: 'the API server connects to the replicas',
      facts: healthy({ services: headless, routing: { mode: 'endpoints' } }),
    },
    {
      name: 'the Service is a DNS name, which has no address either',
      facts: healthy({ services: objects(service({ type: 'ExternalName', clusterIP: 'None' })) }),
    },
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    {
      name: 'the webhook calls a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com' } })] },
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'Services may not be read', facts: healthy({ services: forbidden('services') }) }],
});
