import { coversSystemNamespaces } from '../../../src/checks/scope/covers-system-namespaces.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import {
  besideApiServers,
  cluster,
  conditional,
  everything,
  leavingOut,
  notBesideApiServers,
  on,
  only,
  rule,
  withoutNamespacesOrDiscovery,
} from './scopes.ts';

const detail = { namespaces: 'namespace kube-system', webhook: 'policy.example.com' };

describeCheck(coversSystemNamespaces, {
  reports: [
    {
      name: 'a webhook on all Pods',
      facts: cluster([on('pods')]),
      expect: { messageId: 'pods', data: detail },
    },
    {
      name: 'a webhook on everything',
      facts: cluster([webhook({ rules: [everything] })]),
      expect: { messageId: 'pods' },
    },
    {
      name: 'the namespaces of the network as well',
      facts: cluster([on('pods')], {
        namespaces: objects(namespace('kube-system'), namespace('calico-system'), namespace('shop')),
      }),
      expect: {
        messageId: 'pods',
        data: { ...detail, namespaces: 'namespaces kube-system and calico-system' },
      },
    },
    {
      name: 'the one that was forgotten',
      facts: cluster([on('pods', leavingOut('kube-system'))], {
        namespaces: objects(namespace('kube-system'), namespace('calico-system')),
      }),
      expect: { messageId: 'pods', data: { ...detail, namespaces: 'namespace calico-system' } },
    },
    {
      name: 'an objectSelector that leaves out only what carries a label',
      facts: cluster([
        on('pods', { objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] } }),
      ]),
      expect: { messageId: 'pods' },
    },
    {
      name: 'a webhook without selector although namespaces must not be read',
      facts: cluster([on('pods')], { namespaces: forbidden() }),
      expect: { messageId: 'pods' },
    },
    ...notBesideApiServers.map(([name, over]) => ({
      name,
      facts: cluster([webhook({ rules: [everything], ...over })]),
      expect: { messageId: 'pods' },
    })),
  ],
  reportsNothing: [
    {
      name: 'a provider runs it beside its API servers',
      facts: cluster([webhook(besideApiServers)]),
      outcome: 'not-applicable',
    },
    { name: 'kube-system is left out', facts: cluster([on('pods', leavingOut('kube-system'))]) },
    { name: 'only some namespaces are meant', facts: cluster([on('pods', only('shop'))]) },
    {
      name: 'Pods have to ask for it',
      facts: cluster([on('pods', { objectSelector: { matchLabels: { inject: 'true' } } })]),
    },
    {
      name: 'it fails open',
      facts: cluster([on('pods', { failurePolicy: 'Ignore' })]),
      outcome: 'not-applicable',
    },
    { name: 'it covers other things', facts: cluster([on('configmaps,secrets')]) },
    {
      name: 'it covers only its own kinds',
      facts: cluster([webhook({ rules: [rule('*', { apiGroups: ['example.com'] })] })]),
    },
    {
      name: 'Pods are covered only when they change',
      facts: cluster([webhook({ rules: [rule('pods', { operations: ['UPDATE'] })] })]),
    },
    { name: 'a condition decides', facts: cluster([on('pods', conditional)]) },
  ],
  isUnknown: withoutNamespacesOrDiscovery,
});
