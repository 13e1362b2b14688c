import { pathTrailingSlash } from '../../../src/checks/routing/path-trailing-slash.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';

const withPath = (path: string) => ({ service: { namespace: 'shop', name: 'policy', port: 443, path } });

describeCheck(pathTrailingSlash, {
  reports: [
    {
      name: 'a path that ends in a slash',
      facts: { callouts: [webhook({ client: withPath('/mutate/') })] },
      expect: { messageId: 'dropped', data: { path: '/mutate/', requested: '/mutate' } },
    },
    {
      name: 'the path of a conversion webhook',
      facts: { callouts: [conversion({ client: withPath('/convert//') })] },
      expect: { messageId: 'dropped', data: { path: '/convert//', requested: '/convert' } },
    },
    {
      name: 'the path of a URL',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com:8443/v1/admit/' } })] },
      expect: { messageId: 'dropped', data: { path: '/v1/admit/', requested: '/v1/admit' } },
    },
  ],
  staysSilent: [
    { name: 'the path ends in a word', facts: { callouts: [webhook()] }, outcome: 'pass' },
    { name: 'the path is only a slash', facts: { callouts: [webhook({ client: withPath('/') })] } },
    {
      name: 'the URL has no path but a slash',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com/' } })] },
    },
    { name: 'there is no path', facts: { callouts: [aggregatedApi()] }, outcome: 'not-applicable' },
  ],
});
