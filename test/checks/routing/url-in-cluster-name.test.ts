import { urlInClusterName } from '../../../src/checks/routing/url-in-cluster-name.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const calling = (url: string) => healthy({ callouts: [webhook({ client: { url } })] });

describeCheck(urlInClusterName, {
  reports: [
    {
      name: 'the name of a Service of this cluster',
      facts: calling('https://policy.shop.svc:443/validate'),
      expect: { messageId: 'service', data: { host: 'policy.shop.svc', service: 'shop/policy' } },
    },
    {
      name: 'the name with the domain of the cluster, in capitals',
      facts: calling('https://Policy.Shop.svc.Cluster.Local/validate'),
      expect: {
        messageId: 'service',
        data: { host: 'policy.shop.svc.cluster.local', service: 'shop/policy' },
      },
    },
    {
      name: 'a conversion webhook',
      facts: healthy({ callouts: [conversion({ client: { url: 'https://policy.shop.svc/convert' } })] }),
      expect: { messageId: 'service', data: { host: 'policy.shop.svc', service: 'shop/policy' } },
    },
    {
      name: 'a doubt about the name of a Service that is not in this cluster',
      facts: calling('https://webhook.tenant-7.svc/validate'),
      expect: { messageId: 'perhapsElsewhere', data: { host: 'webhook.tenant-7.svc' } },
    },
  ],
  reportsNothing: [
    { name: 'the webhook calls a Service', facts: healthy(), outcome: 'not-applicable' },
    { name: 'the URL has a public name', facts: calling('https://policy.example.com/x.y.svc') },
    { name: 'svc is only a label in a public name', facts: calling('https://a.svc.example.com/validate') },
    {
      name: 'the name looks like one of a cluster, but of another domain and of no Service here',
      facts: calling('https://webhook.team.svc.example.com/validate'),
    },
    { name: 'the URL has an address', facts: calling('https://203.0.113.10:443/validate') },
    { name: 'the API server calls itself', facts: calling('https://kubernetes.default.svc:443/x') },
  ],
  isUnknown: [
    {
      name: 'Services may not be read',
      facts: { ...calling('https://policy.shop.svc'), services: forbidden('services') },
    },
  ],
});
