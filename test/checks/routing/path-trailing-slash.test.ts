import { pathTrailingSlash } from '../../../src/checks/routing/path-trailing-slash.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';
import { allows, http, tried } from '../probed.ts';

const withPath = (path: string) => ({ service: { namespace: 'shop', name: 'policy', port: 443, path } });

const { caBundle = '' } = webhook().client;
const slashed = { callouts: [webhook({ client: { ...withPath('/mutate/'), caBundle } })] };
const elsewhere = http(301, '', { location: '/mutate/' });

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
    {
      name: 'that the path without it is redirected by every replica',
      facts: tried([elsewhere, elsewhere], { facts: slashed }),
      expect: { messageId: 'redirected', confidence: 'observed' },
    },
    {
      name: 'that one replica of two redirects the path without it',
      facts: tried([allows, elsewhere], { facts: slashed }),
      expect: { messageId: 'someRedirected' },
    },
    {
      name: 'the slash, though the server responds without it',
      facts: tried([allows], { facts: slashed }),
      expect: { messageId: 'dropped', confidence: 'derived' },
    },
  ],
  reportsNothing: [
    { name: 'the path ends in a word', facts: { callouts: [webhook()] }, outcome: 'pass' },
    { name: 'the path is only a slash', facts: { callouts: [webhook({ client: withPath('/') })] } },
    {
      name: 'the URL has no path but a slash',
      facts: { callouts: [webhook({ client: { url: 'https://policy.example.com/' } })] },
    },
    { name: 'there is no path', facts: { callouts: [aggregatedApi()] }, outcome: 'not-applicable' },
  ],
});
