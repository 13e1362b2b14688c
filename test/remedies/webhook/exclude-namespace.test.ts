import { excludeNamespace } from '../../../src/remedies/webhook/exclude-namespace.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { conversion, healthy, namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' };
const name = 'kubernetes.io/metadata.name';
const edit = (expected: object, after: object) => ({
  object: ref,
  operation: 'patch' as const,
  path: '/webhooks/0/namespaceSelector',
  expected,
  after,
});
const namespaces = objects(namespace('shop'), namespace('team-a', { env: 'prod' }));
const not = (...values: readonly string[]) => ({ key: name, operator: 'NotIn' as const, values });

describeRemedy(excludeNamespace, {
  plans: [
    {
      name: 'to leave the named namespace out',
      facts: healthy({ namespaces }),
      problem: { namespace: 'team-a' },
      expect: {
        edits: [edit({}, { matchExpressions: [not('team-a')] })],
        warns: [/no longer checks requests in namespace team-a/],
      },
    },
    {
      name: 'to extend an existing list',
      facts: healthy({
        namespaces,
        callouts: [webhook({ namespaceSelector: { matchExpressions: [not('kube-system')] } })],
      }),
      problem: { namespace: 'team-a' },
      expect: {
        edits: [
          edit(
            { matchExpressions: [not('kube-system')] },
            { matchExpressions: [not('kube-system', 'team-a')] },
          ),
        ],
      },
    },
    {
      name: 'to keep what else the selector asks',
      facts: healthy({
        namespaces,
        callouts: [webhook({ namespaceSelector: { matchLabels: { env: 'prod' } } })],
      }),
      problem: { namespace: 'team-a' },
      expect: {
        edits: [
          edit(
            { matchLabels: { env: 'prod' } },
            { matchLabels: { env: 'prod' }, matchExpressions: [not('team-a')] },
          ),
        ],
      },
    },
    {
      name: 'for denials, which failurePolicy does not affect',
      facts: healthy({ namespaces, callouts: [webhook({ failurePolicy: 'Ignore' })] }),
      problem: { namespace: 'team-a', breaks: false, refusedAnyway: true },
      expect: { edits: [edit({}, { matchExpressions: [not('team-a')] })] },
    },
    {
      name: 'for the namespace of the blocked objects',
      facts: healthy({ namespaces }),
      problem: { subject: { kind: 'Deployment', namespace: 'team-a', name: 'web' } },
      expect: { edits: [edit({}, { matchExpressions: [not('team-a')] })] },
    },
  ],
  refuses: [
    {
      name: 'where the namespace does not exist',
      facts: healthy({ namespaces }),
      problem: { namespace: 'team-b' },
      because: /no namespace team-b/,
    },
    {
      name: 'where the namespace is left out already',
      facts: healthy({
        namespaces,
        callouts: [webhook({ namespaceSelector: { matchLabels: { env: 'dev' } } })],
      }),
      problem: { namespace: 'team-a' },
      because: /already excluded/,
    },
  ],
  doesNotFit: [
    { name: 'no namespace is named', facts: healthy({ namespaces }) },
    {
      name: 'the call works',
      facts: healthy({ namespaces }),
      problem: { namespace: 'team-a', breaks: false },
    },
    {
      name: 'nothing is refused',
      facts: healthy({ namespaces, callouts: [webhook({ failurePolicy: 'Ignore' })] }),
      problem: { namespace: 'team-a' },
    },
    {
      name: 'there is no selector',
      facts: healthy({ callouts: [conversion()] }),
      problem: { namespace: 'shop' },
    },
  ],
  isUnknown: [
    {
      name: 'the namespaces could not be read',
      facts: healthy({ namespaces: forbidden() }),
      problem: { namespace: 'team-a' },
    },
  ],
});
