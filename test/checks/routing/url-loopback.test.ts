import { urlLoopback } from '../../../src/checks/routing/url-loopback.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, webhook } from '../../support/snapshot.ts';

const localhost = 'https://localhost:10260/validate';
const probed = (message: string) => {
  const dryRun = {
    operation: 'CREATE',
    resource: 'configmaps',
    status: message === '' ? 201 : 500,
    message,
    milliseconds: 3,
  };
  const probes: CalloutProbes = {
    level: 'review',
    serverName: 'localhost',
    replicas: [],
    notTried: [],
    dryRun,
  };
  return {
    ...calling(localhost),
    probes: complete([['validating/policy/policy.example.com', probes] as const]),
  };
};

const calling = (url: string) => ({ callouts: [webhook({ client: { url } })] });

/** A webhook on localhost, and one of another configuration that calls a Service. */
const beside = (over: Partial<AdmissionCallout>) =>
  healthy({
    callouts: [
      webhook({ client: { url: localhost } }),
      webhook({
        ref: { kind: 'ValidatingWebhookConfiguration', name: 'release' },
        configuration: 'release',
        ...over,
      }),
    ],
  });

describeCheck(urlLoopback, {
  reports: [
    {
      name: 'localhost',
      facts: calling('https://localhost:10260/validate'),
      expect: { messageId: 'loopback', data: { host: 'localhost' } },
    },
    {
      name: 'localhost, on which nothing listens',
      facts: probed(
        `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "${localhost}?timeout=10s": dial tcp 127.0.0.1:10260: connect: connection refused`,
      ),
      expect: {
        messageId: 'unserved',
        confidence: 'observed',
        data: { host: 'localhost', detail: 'dial tcp 127.0.0.1:10260: connect: connection refused' },
      },
    },
    {
      name: 'localhost, where a call succeeds',
      facts: probed(''),
      expect: { messageId: 'loopback' },
    },
    {
      name: 'an IPv4 loopback address',
      facts: calling('https://127.0.0.1:9443'),
      expect: { messageId: 'loopback', data: { host: '127.0.0.1' } },
    },
    {
      name: 'a configuration of a developer beside the one of the release',
      facts: beside({}),
      expect: {
        messageId: 'leftover',
        data: { host: 'localhost', other: 'release', service: 'shop/policy' },
      },
    },
    ...(
      [
        ['of another name', { webhook: 'other.example.com' }],
        ['with another selector', { namespaceSelector: { matchLabels: { team: 'a' } } }],
        ['of the same configuration', { configuration: 'policy' }],
        [
          'whose Service does not exist',
          { client: { service: { namespace: 'shop', name: 'gone', port: 443 } } },
        ],
      ] as const
    ).map(([what, over]) => ({
      name: `no leftover beside a webhook ${what}`,
      facts: beside(over),
      expect: { messageId: 'loopback' as const },
    })),
    {
      name: 'the IPv6 loopback address',
      facts: calling('https://[::1]:9443/validate'),
      expect: { messageId: 'loopback', data: { host: '::1' } },
    },
    {
      name: 'the IPv6 loopback address without brackets',
      facts: calling('https://::1:9743/node'),
      expect: {
        messageId: 'unbracketed',
        data: { url: 'https://::1:9743/node', corrected: 'https://[::1]:9743/node' },
      },
    },
    {
      name: 'the IPv6 loopback address without brackets, which API servers before 1.30 call',
      facts: { ...calling('https://::1:9743/node'), version: 'v1.29.0' },
      expect: { messageId: 'loopback' },
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
      name: 'AKS runs it beside its API servers',
      facts: {
        callouts: [
          webhook({
            webhook: 'aks-webhook-admission-controller.azmk8s.io',
            client: { url: 'https://localhost:8443/mutate-pods' },
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
