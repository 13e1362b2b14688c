import { sharedNamespace } from '../../../src/checks/practice/shared-namespace.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, namespace, objects, service, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { deployment, kept, never } from './kept.ts';

const leavingOut = webhook({
  namespaceSelector: {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] }],
  },
});
const cart = deployment({
  metadata: { name: 'cart' },
  spec: { template: { metadata: { labels: { app: 'cart' } }, spec: { containers: [] } } },
});
const facts = (over: Partial<Facts> = {}, workloads = [deployment(), cart]): Partial<Facts> =>
  kept(workloads, {
    callouts: [leavingOut],
    namespaces: objects(namespace(), namespace('a'), namespace('b')),
    ...over,
  });
const release = { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' };
const running = (app: string, image: string) => ({
  template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'webhook', image }] } },
});
const instance = { 'app.kubernetes.io/instance': 'policy' };

describeCheck(sharedNamespace, {
  reports: [
    {
      name: 'another Deployment',
      facts: facts(),
      expect: {
        messageId: 'others',
        data: { namespace: 'shop', workload: 'Deployment policy', others: 'Deployment cart' },
      },
    },
    {
      name: 'another Deployment, beside the webhook’s Service whose endpoints are made by hand',
      facts: facts({
        callouts: [
          leavingOut,
          webhook({
            configuration: 'manual',
            client: { service: { namespace: 'shop', name: 'manual', port: 443 } },
          }),
        ],
        services: objects(service(), service({ selector: {} }, { name: 'manual' })),
      }),
      expect: { messageId: 'others' },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'it is alone', facts: facts({}, [deployment()]), outcome: 'pass' },
    {
      name: 'the other is of the same installation',
      facts: facts({}, [
        deployment({ metadata: { labels: instance } }),
        { ...cart, metadata: { ...cart.metadata, labels: instance } },
      ]),
    },
    {
      name: 'the other carries the label app of the same product, as Gatekeeper’s audit does',
      facts: facts({}, [
        deployment({ metadata: { labels: { app: 'acme' } } }),
        { ...cart, metadata: { ...cart.metadata, labels: { app: 'acme' } } },
      ]),
    },
    {
      name: 'the other came with the same Helm release',
      facts: facts({}, [
        deployment({ metadata: { annotations: release } }),
        { ...cart, metadata: { ...cart.metadata, annotations: release } },
      ]),
    },
    {
      name: 'the other runs the same image in another version',
      facts: facts({}, [
        deployment({ spec: running('policy', 'registry.example:5000/acme:v1') }),
        { ...cart, spec: { ...cart.spec, ...running('cart', 'registry.example:5000/acme:v2@sha256:00') } },
      ]),
    },
    {
      name: 'the other is of the same product, by the product catalogue',
      facts: facts({ callouts: [{ ...leavingOut, webhook: 'validatejob.volcano.sh' }] }, [
        deployment(),
        { ...cart, metadata: { ...cart.metadata, name: 'volcano-scheduler' } },
      ]),
    },
    { name: 'its own namespace is covered', facts: facts({ callouts: [webhook()] }) },
    {
      name: 'it covers few namespaces anyway',
      facts: facts({
        callouts: [webhook({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'a' } } })],
      }),
    },
    { name: 'it is a conversion webhook', facts: facts({ callouts: [conversion()] }) },
  ],
  isUnknown: [{ name: 'namespaces may not be read', facts: facts({ namespaces: forbidden('namespaces') }) }],
});
