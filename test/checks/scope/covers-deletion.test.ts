import { coversDeletion } from '../../../src/checks/scope/covers-deletion.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';
import {
  cluster,
  conditional,
  coveringEverything,
  leavingOut,
  ofProvider,
  on,
  only,
  rule,
  withoutNamespacesOrDiscovery,
} from './scopes.ts';

const covered = (requests: string, namespaces: string, harm: string, evidence = harm) => ({
  messageId: 'covered',
  data: { requests, namespaces, harm, webhook: 'policy.example.com' },
  evidence,
});
const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => namespace(name));
const stuck = 'such namespaces cannot be deleted';

describeCheck(coversDeletion, {
  reports: [
    {
      name: 'the deletion of Pods',
      facts: cluster([on('pods')]),
      expect: covered('deletion of Pods', 'all namespaces', 'Pods stay Terminating'),
    },
    {
      name: 'what goes with each namespace',
      facts: cluster([on('configmaps,secrets', only('shop'))]),
      expect: covered('deletion of ConfigMaps and deletion of Secrets', 'namespace shop', stuck),
    },
    {
      name: 'namespaces themselves',
      facts: cluster([on('namespaces', leavingOut('kube-system', 'kube-node-lease'))]),
      expect: covered('deletion of Namespaces', 'namespace shop', stuck),
    },
    {
      name: 'evictions',
      facts: cluster([webhook({ rules: [rule('pods/eviction', { operations: ['CREATE'] })] })]),
      expect: covered('creation of pods/eviction', 'all namespaces', 'nodes cannot be drained'),
    },
    {
      name: 'how many namespaces it is about',
      facts: cluster([on('pods', leavingOut('a'))], { namespaces: objects(...six) }),
      expect: covered('deletion of Pods', '5 of 6 namespaces', 'Pods stay Terminating'),
    },
    {
      name: 'several at once',
      facts: cluster([on('pods/*,serviceaccounts')]),
      expect: covered(
        'deletion of Pods, creation of pods/eviction and 1 more',
        'all namespaces',
        'Pods stay Terminating',
        `Pods stay Terminating, nodes cannot be drained, and ${stuck}`,
      ),
    },
    ...coveringEverything,
  ],
  reportsNothing: [
    ofProvider,
    {
      name: 'only creation and change are covered',
      facts: cluster([
        webhook({ rules: [rule('pods,configmaps,namespaces', { operations: ['CREATE', 'UPDATE'] })] }),
      ]),
    },
    {
      name: 'it covers the deletion of its own kinds',
      facts: cluster([webhook({ rules: [rule('*', { apiGroups: ['example.com'], apiVersions: ['*'] })] })]),
    },
    { name: 'it fails open', facts: cluster([on('pods', { failurePolicy: 'Ignore' })]) },
    { name: 'no namespace is selected', facts: cluster([on('pods', only('nowhere'))]) },
    {
      name: 'objects have to ask for it',
      facts: cluster([on('pods', { objectSelector: { matchLabels: { protect: 'true' } } })]),
    },
    { name: 'a condition decides', facts: cluster([on('pods', conditional)]) },
  ],
  isUnknown: withoutNamespacesOrDiscovery,
});
