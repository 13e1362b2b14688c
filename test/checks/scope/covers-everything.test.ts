import { coversEverything } from '../../../src/checks/scope/covers-everything.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import {
  besideApiServers,
  cluster,
  conditional,
  everything,
  leavingOut,
  notBesideApiServers,
  only,
  rule,
} from './scopes.ts';

const all = (over: Parameters<typeof rule>[1] = {}) =>
  rule('*', { apiGroups: ['*'], apiVersions: ['*'], ...over });
const broad = (over: Parameters<typeof webhook>[0]) => cluster([webhook(over)]);

describeCheck(coversEverything, {
  reports: [
    {
      name: '*/*',
      facts: broad({ rules: [rule('pods'), everything] }),
      expect: { messageId: 'all', data: { webhook: 'policy.example.com', rule: 2 } },
    },
    {
      name: '* in every group',
      facts: broad({ rules: [all()] }),
      expect: { messageId: 'allResources', data: { webhook: 'policy.example.com', rule: 1 } },
    },
    {
      name: 'the broader of two rules',
      facts: broad({ rules: [all(), everything] }),
      expect: { messageId: 'all' },
    },
    {
      name: 'cluster-scoped objects, which no namespaceSelector leaves out',
      facts: broad({ rules: [all()], ...only('nowhere') }),
      expect: { messageId: 'allResources' },
    },
    {
      name: 'what is left of it',
      facts: broad({ rules: [everything], ...leavingOut('kube-system') }),
      expect: { messageId: 'all' },
    },
    ...notBesideApiServers.map(([name, over]) => ({
      name,
      facts: cluster([webhook({ rules: [everything], ...over })]),
      expect: { messageId: 'all' },
    })),
  ],
  reportsNothing: [
    {
      name: 'a provider runs it beside its API servers',
      facts: cluster([webhook(besideApiServers)]),
      outcome: 'not-applicable',
    },
    { name: 'resources are named', facts: broad({ rules: [rule('pods,services')] }) },
    {
      name: 'all are of its own group',
      facts: broad({ rules: [rule('*/*', { apiGroups: ['example.com'] })] }),
    },
    {
      name: 'it fails open',
      facts: broad({ rules: [everything], failurePolicy: 'Ignore' }),
      outcome: 'not-applicable',
    },
    {
      name: 'objects have to ask for it',
      facts: broad({ rules: [all()], objectSelector: { matchLabels: { on: 'yes' } } }),
    },
    {
      name: 'no namespace is selected, and nothing else is meant',
      facts: broad({ rules: [all({ scope: 'Namespaced' })], ...only('nowhere') }),
    },
    { name: 'a condition decides', facts: broad({ rules: [everything], ...conditional }) },
    {
      name: 'no writes: CONNECT only',
      facts: broad({ rules: [{ ...everything, operations: ['CONNECT'] }] }),
    },
  ],
  isUnknown: [
    {
      name: 'labels of namespaces must not be read',
      facts: cluster([webhook({ rules: [all({ scope: 'Namespaced' })], ...only('shop') })], {
        namespaces: forbidden(),
      }),
    },
    {
      name: 'another version may be the same, and discovery must not be read',
      facts: cluster([webhook({ rules: [all({ apiVersions: ['v2'] })] })], { served: forbidden() }),
    },
  ],
});
