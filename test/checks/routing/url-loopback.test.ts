import { urlLoopback } from '../../../src/checks/routing/url-loopback.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, webhook } from '../../support/snapshot.ts';

const calling = (url: string) => ({ callouts: [webhook({ client: { url } })] });

describeCheck(urlLoopback, {
  reports: [
    {
      name: 'localhost',
      facts: calling('https://localhost:10260/validate'),
      expect: { messageId: 'loopback', data: { host: 'localhost' } },
    },
    {
      name: 'an IPv4 loopback address',
      facts: calling('https://127.0.0.1:9443'),
      expect: { messageId: 'loopback', data: { host: '127.0.0.1' } },
    },
    {
      name: 'the IPv6 loopback address',
      facts: calling('https://[::1]:9443/validate'),
      expect: { messageId: 'loopback', data: { host: '::1' } },
    },
  ],
  reportsNothing: [
    { name: 'the URL has a public name', facts: calling('https://policy.example.com'), outcome: 'pass' },
    { name: 'the name only begins like it', facts: calling('https://localhost.example.com') },
    { name: 'the address is not a loopback one', facts: calling('https://203.0.113.10:127') },
    {
      name: 'EKS runs it beside its API servers',
      facts: {
        callouts: [
          webhook({
            webhook: 'iam-for-pods.amazonaws.com',
            client: { url: 'https://127.0.0.1:23443/mutate' },
          }),
        ],
      },
      outcome: 'pass',
    },
    {
      name: 'GKE runs it beside its API servers',
      facts: {
        callouts: [
          webhook({
            webhook: 'warden-validating.common-webhooks.networking.gke.io',
            client: { url: 'https://localhost:5443/webhook/warden-validating' },
          }),
        ],
      },
      outcome: 'pass',
    },
    { name: 'the webhook calls a Service', facts: healthy(), outcome: 'not-applicable' },
  ],
});
