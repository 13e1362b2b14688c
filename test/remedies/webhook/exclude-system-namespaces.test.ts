import { excludeSystemNamespaces } from '../../../src/remedies/webhook/exclude-system-namespaces.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { conversion, healthy, namespace, objects, webhook } from '../../support/snapshot.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' };
const not = (...values: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' as const, values }],
});
const namespaces = objects(namespace('shop'), namespace('kube-system'), namespace('cilium'));

describeRemedy(excludeSystemNamespaces, {
  plans: [
    {
      name: 'to leave out those that this cluster has',
      facts: healthy({ namespaces }),
      expect: {
        edits: [
          {
            object: ref,
            operation: 'patch',
            path: '/webhooks/0/namespaceSelector',
            expected: {},
            after: not('kube-system', 'cilium', 'kube-node-lease'),
          },
        ],
        fixes: [],
      },
    },
    {
      name: 'only those that are covered, and says which rules no longer hold there',
      facts: healthy({
        namespaces,
        callouts: [
          webhook({
            webhook: 'validation.gatekeeper.sh',
            namespaceSelector: not('kube-system', 'kube-node-lease'),
          }),
        ],
      }),
      expect: {
        edits: [
          {
            object: ref,
            operation: 'patch',
            path: '/webhooks/0/namespaceSelector',
            expected: not('kube-system', 'kube-node-lease'),
            after: not('kube-system', 'kube-node-lease', 'cilium'),
          },
        ],
        warns: [/Gatekeeper no longer enforces its constraints and mutations in namespace cilium/],
      },
    },
  ],
  doesNotFit: [
    {
      name: 'all are left out already',
      facts: healthy({
        namespaces,
        callouts: [webhook({ namespaceSelector: { matchLabels: { guarded: 'yes' } } })],
      }),
    },
    { name: 'there is no selector', facts: healthy({ callouts: [conversion()], namespaces }) },
  ],
});
