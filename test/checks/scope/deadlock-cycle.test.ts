import { deadlockCycle } from '../../../src/checks/scope/deadlock-cycle.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  healthy,
  lists,
  namespace,
  objects,
  pod,
  service,
  slice,
  webhook,
  workload,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { emptySlice } from '../backend/empty-backend.ts';
import { leavingOut, only, rule } from './scopes.ts';

/** A webhook for Pods that excludes its own namespace, and its backend, all with one name. */
const guard = (name: string, over: Partial<AdmissionCallout> = {}) =>
  webhook({
    ref: { kind: 'ValidatingWebhookConfiguration', name, webhook: `${name}.example.com` },
    configuration: name,
    webhook: `${name}.example.com`,
    client: { service: { namespace: name, name, port: 443 } },
    rules: [rule('pods')],
    ...leavingOut(name),
    ...over,
  });
const make = (name: string, over: Parameters<typeof workload>[0] = {}) =>
  workload({
    metadata: { name, namespace: name },
    spec: { template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'webhook' }] } } },
    ...over,
  });
const serve = (name: string) => service({ selector: { app: name } }, { name, namespace: name });

interface Backend {
  readonly name: string;
  readonly callout?: AdmissionCallout;
  readonly made?: Workload;
  readonly isDown?: boolean;
}

function cluster(backends: readonly Backend[], over: Partial<Facts> = {}): Partial<Facts> {
  const each = <T>(value: (backend: Backend) => T) =>
    backends.map((backend) => [backend.name, value(backend)] as const);
  return healthy({
    callouts: backends.map(({ name, callout }) => callout ?? guard(name)),
    services: objects(...backends.map(({ name }) => serve(name))),
    namespaces: objects(
      ...backends.map(({ name }) => namespace(name)),
      namespace('kube-system'),
      namespace('kube-node-lease'),
    ),
    endpointSlices: lists(
      Object.fromEntries(
        each(({ isDown }) => [isDown ? emptySlice : slice()]).map(([name, all]) => [`${name}/${name}`, all]),
      ),
    ),
    pods: lists(Object.fromEntries(backends.map(({ name }) => [`${name}/${name}`, []]))),
    workloads: lists(
      Object.fromEntries(
        each(({ name, made, isDown }) => [made ?? make(name, isDown ? { status: { replicas: 0 } } : {})]),
      ),
    ),
    ...over,
  });
}
const refused = (name: string, by: string) => ({
  ...make(name),
  status: {
    replicas: 0,
    conditions: [
      {
        type: 'ReplicaFailure',
        status: 'True' as const,
        message: `Internal error occurred: failed calling webhook "${by}.example.com": failed to call webhook: Post "https://${by}.${by}.svc:443/?timeout=10s": dial tcp 203.0.113.10:443: connect: connection refused`,
      },
    ],
  },
});
const unschedulable = (name: string) =>
  pod({
    metadata: { namespace: name },
    spec: { nodeName: undefined as never },
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available',
        },
      ],
      containerStatuses: [],
    },
  });
const chain =
  'Deployment a/a → ReplicaSet → Pod → webhook b.example.com → Service b/b → Deployment b/b → ReplicaSet → Pod → webhook a.example.com → Service a/a → Deployment a/a';
const back =
  'Deployment b/b → ReplicaSet → Pod → webhook a.example.com → Service a/a → Deployment a/a → ReplicaSet → Pod → webhook b.example.com → Service b/b → Deployment b/b';
const a = { name: 'a' };
const b = { name: 'b' };
const c = { name: 'c' };
const down = (name: string) => ({ name, isDown: true });

describeCheck(deadlockCycle, {
  reports: [
    {
      name: 'two that would wait for each other',
      facts: cluster([a, b]),
      expect: [
        { messageId: 'would', data: { workloads: 'Deployment a/a and Deployment b/b' }, evidence: chain },
        { messageId: 'would', data: { workloads: 'Deployment a/a and Deployment b/b' }, evidence: back },
      ],
    },
    {
      name: 'the shortest ring of several, reported once for each member',
      facts: cluster([a, b, c]),
      expect: [{ messageId: 'would', evidence: chain }, { messageId: 'would' }, { messageId: 'would' }],
    },
    {
      name: 'a ring of three',
      facts: cluster([
        { name: 'a', callout: guard('a', only('c')) },
        { name: 'b', callout: guard('b', only('a')) },
        { name: 'c', callout: guard('c', only('b')) },
      ]),
      expect: [{ messageId: 'would' }, { messageId: 'would' }, { messageId: 'would' }],
    },
    {
      name: 'what would happen while one of them still answers',
      facts: cluster([down('a'), b]),
      expect: [{ messageId: 'would' }, { messageId: 'would' }],
    },
    {
      name: 'two that wait for each other, with the error of the API server',
      facts: cluster([
        { ...down('a'), made: refused('a', 'b') },
        { ...down('b'), made: refused('b', 'a') },
      ]),
      expect: [
        { messageId: 'refused', confidence: 'observed' },
        { messageId: 'refused', confidence: 'observed' },
      ],
    },
    {
      name: 'two without a replica and without a message',
      facts: cluster([down('a'), down('b')]),
      expect: [
        { messageId: 'stuck', evidence: chain },
        { messageId: 'stuck', evidence: back },
      ],
    },
    {
      name: 'every callout of a backend that waits',
      facts: cluster([down('a'), down('b')], {
        callouts: [guard('a'), guard('a', { failurePolicy: 'Ignore' }), guard('b')],
      }),
      expect: [{ messageId: 'stuck' }, { messageId: 'stuck' }, { messageId: 'stuck' }],
    },
    {
      name: 'beside a scale of zero of both, that raising one will not help',
      facts: cluster([
        { ...down('a'), made: make('a', { spec: { ...make('a').spec, replicas: 0 } }) },
        { ...down('b'), made: make('b', { spec: { ...make('b').spec, replicas: 0 } }) },
      ]),
      expect: [{ messageId: 'beside', evidence: chain }, { messageId: 'beside' }],
    },
    {
      name: 'beside Pods that do not start for reasons of their own',
      facts: cluster([down('a'), down('b')], {
        pods: lists({ 'a/a': [unschedulable('a')], 'b/b': [unschedulable('b')] }),
      }),
      expect: [{ messageId: 'beside' }, { messageId: 'beside' }],
    },
    {
      name: 'a ring of backends whose workloads were not read',
      facts: cluster([a, b], { workloads: lists({}) }),
      expect: [{ messageId: 'would' }, { messageId: 'would' }],
    },
  ],
  reportsNothing: [
    {
      name: 'another version may be meant, and discovery must not be read',
      facts: cluster(
        [a, { name: 'b', callout: guard('b', { rules: [rule('pods', { apiVersions: ['v2'] })] }) }],
        {
          served: forbidden(),
        },
      ),
    },
    {
      name: 'one leaves out the other',
      facts: cluster([a, { name: 'b', callout: guard('b', leavingOut('a', 'b')) }]),
    },
    {
      name: 'one of them fails open',
      facts: cluster([a, { name: 'b', callout: guard('b', { failurePolicy: 'Ignore' }) }]),
    },
    {
      name: 'it cannot recover',
      facts: cluster([
        { name: 'a', callout: guard('a', only('b')) },
        { name: 'b', callout: guard('b', only('c')) },
        { name: 'c', callout: guard('c', only('c')) },
      ]),
    },
    {
      name: 'a webhook only covers its own Pods',
      facts: cluster([{ name: 'a', callout: guard('a', only('a')) }]),
    },
    {
      name: 'two Services lead to the same Pods',
      facts: cluster([a], {
        callouts: [
          guard('a', only('a')),
          guard('b', { client: { service: { namespace: 'a', name: 'b', port: 443 } }, ...only('a') }),
        ],
        services: objects(serve('a'), service({ selector: { app: 'a' } }, { name: 'b', namespace: 'a' })),
      }),
    },
    {
      name: 'other things are covered',
      facts: cluster([a, { name: 'b', callout: guard('b', { rules: [rule('secrets')] }) }]),
    },
    {
      name: 'nothing has a replica and nothing is covered',
      facts: cluster([{ ...down('a'), callout: guard('a', { rules: [] }) }, down('b')]),
    },
    {
      name: 'their Pods carry labels that leave them out',
      facts: cluster([
        a,
        {
          name: 'b',
          callout: guard('b', {
            objectSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] },
          }),
        },
      ]),
    },
  ],
  isUnknown: [
    {
      name: 'all are down and Pods must not be read',
      facts: cluster([down('a'), down('b')], { pods: forbidden() }),
    },
    {
      name: 'all are down and events must not be read',
      facts: cluster([down('a'), down('b')], { events: forbidden() }),
    },
  ],
});
