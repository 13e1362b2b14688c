import { fixServiceReference } from '../../../src/remedies/webhook/fix-service-reference.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  objects,
  port,
  service,
  webhook,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const client = (name: string, namespace = 'shop') => ({ service: { namespace, name, port: 443 } });
const edit = (field: 'name' | 'namespace', expected: string, after: string) => ({
  object: { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' },
  operation: 'patch' as const,
  path: `/webhooks/0/clientConfig/service/${field}`,
  expected,
  after,
});
const inNamespaces = (...namespaces: readonly string[]) =>
  objects(...namespaces.map((namespace) => service({}, { namespace })));

const labelled = (name: string) => ({ name, labels: { 'app.kubernetes.io/name': 'metrics' } });

describeRemedy(fixServiceReference, {
  plans: [
    {
      name: 'the similar name in the same namespace, which may be another program',
      facts: healthy({ callouts: [webhook({ client: client('policy-webhook') })] }),
      expect: {
        edits: [edit('name', 'policy-webhook', 'policy')],
        fixes: ['validating/policy/policy.example.com'],
        warns: [/Service shop\/policy, whose certificate must be valid for policy\.shop\.svc/],
        unsure: 'the names are only similar',
      },
    },
    {
      name: 'the namespace that has a Service of this name',
      facts: healthy({ callouts: [webhook({ client: client('policy', 'kube-system') })] }),
      expect: {
        edits: [edit('namespace', 'kube-system', 'shop')],
        warns: [/policy\.shop\.svc/],
        unsure: 'the Service of that namespace may belong to another product',
      },
    },
    {
      name: 'in a CRD',
      facts: healthy({ callouts: [conversion({ client: client('policy', 'kube-system') })] }),
      expect: {
        edits: [
          {
            ...edit('namespace', 'kube-system', 'shop'),
            object: { kind: 'CustomResourceDefinition', name: 'widgets.example.com' },
            path: '/spec/conversion/webhook/clientConfig/service/namespace',
          },
        ],
        warns: [/policy\.shop\.svc/],
        unsure: 'the Service of that namespace may belong to another product',
      },
    },
    {
      name: 'namespace and name of the Service with the labels of an APIService',
      facts: healthy({
        callouts: [
          {
            ...aggregatedApi({ client: client('server', 'kube-system') }),
            metadata: labelled('v1beta1.metrics.example.com'),
          },
        ],
        services: objects({ ...service(), metadata: { ...labelled('policy'), namespace: 'shop' } }),
      }),
      expect: {
        edits: [['namespace', 'kube-system', 'shop'] as const, ['name', 'server', 'policy'] as const].map(
          ([field, before, after]) => ({
            ...edit(field, before, after),
            object: { kind: 'APIService', name: 'v1beta1.metrics.example.com' },
            path: `/spec/service/${field}`,
          }),
        ),
        summary:
          /^spec\.service of v1beta1\.metrics\.example\.com is shop\/policy instead of kube-system\/server$/,
        unsure: 'only labels show that this Service serves the API',
      },
    },
    {
      name: 'in an APIService',
      facts: healthy({ callouts: [aggregatedApi({ client: client('policy', 'kube-system') })] }),
      expect: {
        edits: [
          {
            ...edit('namespace', 'kube-system', 'shop'),
            object: { kind: 'APIService', name: 'v1beta1.metrics.example.com' },
            path: '/spec/service/namespace',
          },
        ],
        summary: /^spec\.service\.namespace of /,
        warns: [/policy\.shop\.svc/],
        unsure: 'the Service of that namespace may belong to another product',
      },
    },
  ],
  refuses: [
    {
      name: 'a choice of namespaces that nothing decides',
      facts: healthy({
        callouts: [webhook({ client: client('policy', 'kube-system') })],
        services: inNamespaces('shop', 'shop-next'),
      }),
      because: /Namespaces shop and shop-next have a Service policy; it is unknown which/,
    },
  ],
  doesNotFit: [
    {
      name: 'the namespace of the Service is being deleted',
      facts: healthy({
        callouts: [webhook({ client: client('policy', 'kube-system') })],
        namespaces: objects({ metadata: { name: 'kube-system', deletionTimestamp: '2026-07-09T11:00:00Z' } }),
      }),
    },
    { name: 'the Service exists', facts: healthy() },
    {
      name: 'no Service has a similar name',
      facts: healthy({ callouts: [webhook({ client: client('other') })] }),
    },
    {
      name: 'the similar Service does not have the port',
      facts: healthy({
        callouts: [webhook({ client: client('policy-webhook') })],
        services: objects(service({ ports: [port({ port: 8080 })] })),
      }),
    },
    {
      name: 'many namespaces have a Service of this name',
      facts: healthy({
        callouts: [webhook({ client: client('policy', 'kube-system') })],
        services: inNamespaces('a', 'b', 'c', 'd'),
      }),
    },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [
    {
      name: 'the Services could not be read',
      facts: healthy({ callouts: [webhook({ client: client('gone') })], services: forbidden() }),
    },
  ],
});
