import { coversNodeHeartbeats } from '../../../src/checks/scope/covers-node-heartbeats.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { allows, proxySays, tried } from '../probed.ts';
import {
  cluster,
  conditional,
  coveringEverything,
  exceptKubelets,
  leavingOut,
  ofProvider,
  on,
  only,
  rule,
} from './scopes.ts';

const leases = rule('leases', { apiGroups: ['coordination.k8s.io'] });
const covered = (requests: string, harm: string, evidence = harm) => ({
  messageId: 'covered',
  data: { requests, harm, webhook: 'policy.example.com' },
  evidence,
});
const noStatus = 'nodes cannot report their status, and dead nodes stay Ready';
const led = 'the scheduler and the controller manager lose leader election';
const ignoring = { rules: [leases], failurePolicy: 'Ignore', ...leavingOut('kube-node-lease') } as const;
const waiting = (timeoutSeconds: number, over: object = {}) =>
  cluster([webhook({ ...ignoring, timeoutSeconds, ...over })], {
    probes: nothingRead({ what: 'probes', why: 'not-requested' }),
  });
const silent = proxySays('dial tcp 198.51.100.11:8443: i/o timeout');
/** A mutating and a validating webhook of one server, each with this timeout. */
const both = (timeoutSeconds: number) => {
  const one = webhook({ ...ignoring, timeoutSeconds });
  return cluster(
    [one, { ...one, kind: 'mutating', configuration: 'defaults', webhook: 'defaults.example.com' }],
    {
      probes: nothingRead({ what: 'probes', why: 'not-requested' }),
    },
  );
};

describeCheck(coversNodeHeartbeats, {
  reports: [
    {
      name: 'leases',
      facts: cluster([webhook({ rules: [leases] })]),
      expect: covered(
        'updates of Leases',
        'nodes become NotReady within a minute',
        `nodes become NotReady within a minute, and ${led}`,
      ),
    },
    {
      name: 'on EKS, what it surely sends: the state of nodes',
      facts: {
        ...cluster([webhook({ rules: [leases, rule('nodes/status')] })]),
        version: 'v1.33.5-eks-113cf36',
      },
      expect: covered('updates of nodes/status', noStatus),
    },
    {
      name: 'an open webhook whose call outlasts the client that renews a Lease',
      facts: waiting(5),
      expect: {
        messageId: 'waits',
        data: { requests: 'updates of Leases', webhook: 'policy.example.com', limit: 5, harm: led },
        evidence: led,
      },
    },
    {
      name: 'the Leases of nodes, which wait longer',
      facts: waiting(10, leavingOut('kube-system')),
      expect: { messageId: 'waits', evidence: 'nodes become NotReady within a minute' },
    },
    {
      name: 'two open webhooks of one server, one after the other',
      facts: both(3),
      expect: { messageId: 'waits' },
    },
    {
      name: 'an open webhook that does not respond',
      facts: tried([{ ...allows, proxy: silent }], {
        facts: {
          callouts: [webhook({ ...ignoring, timeoutSeconds: 10 })],
          namespaces: objects(namespace(), namespace('kube-system')),
        },
      }),
      expect: { messageId: 'waitsNow' },
    },
    {
      name: 'leases of controllers only',
      facts: cluster([webhook({ rules: [leases], ...leavingOut('kube-node-lease') })]),
      expect: covered('updates of Leases', led),
    },
    {
      name: 'the subresources that pods/* brings along',
      facts: cluster([on('pods/*')]),
      expect: covered(
        'creation of pods/binding and updates of pods/status',
        'no Pod is bound to a node',
        'no Pod is bound to a node, and no Pod becomes Ready',
      ),
    },
    {
      name: 'the state of nodes, which no namespaceSelector leaves out',
      facts: cluster([on('nodes/status', only('shop'))]),
      expect: covered('updates of nodes/status', noStatus),
    },
    {
      name: 'that without both heartbeats no node is NotReady',
      facts: cluster([webhook({ rules: [leases, rule('nodes/status')], ...leavingOut('kube-system') })]),
      expect: covered('updates of Leases and updates of nodes/status', noStatus),
    },
    {
      name: 'events in their newer group',
      facts: cluster([
        webhook({ rules: [rule('*', { apiGroups: ['*'], operations: ['CREATE'] })], ...only('shop') }),
      ]),
      expect: { messageId: 'covered' },
    },
    {
      name: 'what a condition that leaves the kubelets alone does not leave out',
      facts: cluster([on('pods/status,pods/binding', exceptKubelets)]),
      expect: { messageId: 'covered' },
    },
    {
      name: 'tokens',
      facts: cluster([on('serviceaccounts/token')]),
      expect: covered('creation of serviceaccounts/token', 'no new Pod gets its token'),
    },
    {
      name: 'certificate requests',
      facts: cluster([
        webhook({ rules: [rule('certificatesigningrequests', { apiGroups: ['certificates.k8s.io'] })] }),
      ]),
      expect: covered('new certificatesigningrequests', 'nodes get no certificates'),
    },
    ...coveringEverything,
  ],
  reportsNothing: [
    { name: 'an open webhook fails in time', facts: waiting(4), outcome: 'pass' },
    { name: 'both fail in time', facts: both(2), outcome: 'pass' },
    { name: 'the node waits longer', facts: waiting(9, leavingOut('kube-system')), outcome: 'pass' },
    ofProvider,
    { name: 'Pods are covered, and not their subresources', facts: cluster([on('pods')]) },
    { name: 'it covers other things', facts: cluster([webhook()]) },
    {
      name: 'it covers only its own kinds, with their status',
      facts: cluster([webhook({ rules: [rule('*/*', { apiGroups: ['example.com'] })] })]),
    },
    { name: 'it fails open', facts: cluster([on('pods/*', { failurePolicy: 'Ignore' })]) },
    { name: 'no namespace is selected', facts: cluster([on('pods/*', only('nowhere'))]) },
    {
      name: 'a condition leaves the kubelets alone',
      facts: cluster([on('pods/status,nodes/status,serviceaccounts/token', exceptKubelets)]),
    },
    { name: 'a condition decides', facts: cluster([on('pods/*', conditional)]) },
    {
      name: 'leases are covered when they are made',
      facts: cluster([webhook({ rules: [{ ...leases, operations: ['CREATE'] }] })]),
    },
  ],
  isUnknown: [
    {
      name: 'EKS may leave them out',
      facts: { ...cluster([webhook({ rules: [leases] })]), version: 'v1.33.5-eks-113cf36' },
    },
    {
      name: 'labels of namespaces must not be read',
      facts: cluster([on('pods/status', leavingOut('kube-system'))], { namespaces: forbidden() }),
    },
    {
      name: 'another version may be the same, and discovery must not be read',
      facts: cluster([webhook({ rules: [{ ...leases, apiVersions: ['v1beta1'] }] })], {
        served: forbidden(),
      }),
    },
  ],
});
