import { replaceUrl } from '../../../src/remedies/webhook/replace-url.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { conversion, healthy, objects, webhook } from '../../support/snapshot.ts';

const at = (url: string, caBundle = 'Zm9v') => webhook({ client: { url, caBundle } });
const edits = (url: string, service: object, path = '/webhooks/0/clientConfig') =>
  [
    [`${path}/url`, url, undefined],
    [`${path}/service`, undefined, service],
  ].map(([path, expected, after]) => ({
    object: path?.toString().startsWith('/spec')
      ? { kind: 'CustomResourceDefinition', name: 'widgets.example.com' }
      : { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' },
    operation: 'patch' as const,
    path: `${path}`,
    expected,
    after,
  }));
const named = { namespace: 'shop', name: 'policy', port: 443 };

describeRemedy(replaceUrl, {
  plans: [
    {
      name: 'the Service that the host names',
      facts: healthy({ callouts: [at('https://policy.shop.svc/validate')] }),
      expect: {
        edits: edits('https://policy.shop.svc/validate', { ...named, path: '/validate' }),
        summary: /names Service shop\/policy, port 443, instead of https:\/\/policy\.shop\.svc\/validate$/,
        warns: [/valid for policy\.shop\.svc\.$/],
      },
    },
    {
      name: 'no path where the URL has none, with the domain of the cluster',
      facts: healthy({ callouts: [at('https://policy.shop.svc.cluster.local:443')] }),
      expect: { edits: edits('https://policy.shop.svc.cluster.local:443', named), warns: [/valid for/] },
    },
    {
      name: 'in a CRD',
      facts: healthy({
        callouts: [conversion({ client: { url: 'https://policy.shop.svc/convert', caBundle: 'Zm9v' } })],
      }),
      expect: {
        edits: edits(
          'https://policy.shop.svc/convert',
          { ...named, path: '/convert' },
          '/spec/conversion/webhook/clientConfig',
        ),
        warns: [/valid for/],
      },
    },
  ],
  doesNotFit: [
    { name: 'the host is no Service', facts: healthy({ callouts: [at('https://policy.example.com/')] }) },
    {
      name: 'the Service does not exist',
      facts: healthy({ callouts: [at('https://policy.shop.svc/')], services: objects() }),
    },
    {
      name: 'the Service lacks the port',
      facts: healthy({ callouts: [at('https://policy.shop.svc:8443/')] }),
    },
    { name: 'the CA is unknown', facts: healthy({ callouts: [at('https://policy.shop.svc/', '')] }) },
    { name: 'the configuration names a Service', facts: healthy({}) },
  ],
});
