import { noReadyEndpoint } from '../../../src/checks/backend/no-ready-endpoint.ts';
import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Endpoint, EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  lists,
  objects,
  pod,
  port,
  service,
  slice,
} from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { ago, as, event, events, only, status, waiting } from '../replica/replicas.ts';
import { mounting, secret } from '../tls/serving.ts';
import { empty } from './empty-backend.ts';

const unreadyEndpoint = (over = {}): Endpoint => ({
  addresses: ['198.51.100.7'],
  conditions: { ready: false, serving: false, terminating: false },
  targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
  ...over,
});
const sliced = (...slices: readonly EndpointSlice[]) => lists({ 'shop/policy': slices });
const leaving = unreadyEndpoint({ conditions: { ready: false, serving: true, terminating: true } });
const found = { service: 'shop/policy' };
/** A Service without selector, another one, and slices without the label of a Service. */
const byHand = (...each: readonly Partial<EndpointSlice['metadata']>[]) => {
  const metrics = service();
  return empty({
    services: objects(service({ selector: {} }), {
      ...metrics,
      metadata: { ...metrics.metadata, name: 'policy-metrics' },
    }),
    endpointSlices: lists({
      'shop/': each.map((metadata) =>
        slice(undefined, { metadata: { ...slice().metadata, labels: {}, ...metadata } }),
      ),
    }),
  });
};
/** A Pod that mounts a Secret. @param started and not Ready since, in seconds ago. */
const awaitingSecret = (started: number, since: number) =>
  pod({
    metadata: { creationTimestamp: ago(started + 5) },
    spec: mounting().spec,
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(since) }],
      containerStatuses: [status({ started: true, state: { running: { startedAt: ago(started) } } })],
    },
  });
const starting = pod({
  metadata: { creationTimestamp: '2025-12-31T23:59:58Z' },
  status: {
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [
      { name: 'webhook', ready: false, restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } },
    ],
  },
});

const terminatingUntil = (deletionTimestamp: string) =>
  pod({
    metadata: { deletionTimestamp },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  });

const initializing = pod({
  metadata: { creationTimestamp: '2025-12-31T23:59:20Z' },
  status: {
    conditions: [{ type: 'Ready', status: 'False' }],
    initContainerStatuses: [
      {
        name: 'wait-for-db',
        ready: false,
        started: false,
        restartCount: 0,
        state: { running: { startedAt: '2025-12-31T23:59:20Z' } },
      },
    ],
    containerStatuses: [
      { name: 'webhook', ready: false, restartCount: 0, state: { waiting: { reason: 'PodInitializing' } } },
    ],
  },
});

const withSidecar = {
  ...initializing,
  spec: { ...initializing.spec, initContainers: [{ name: 'wait-for-db', restartPolicy: 'Always' }] },
};

/** A Pod whose sidecar has started and is not Ready: its container runs. */
const afterSidecar = (isReady: boolean) => {
  const running = (name: string, ready: boolean, started: boolean) => ({
    name,
    ready,
    started,
    restartCount: 0,
    state: { running: { startedAt: '2025-12-31T23:59:55Z' } },
  });
  const one = pod({
    metadata: { creationTimestamp: '2025-12-31T23:59:50Z' },
    status: {
      conditions: [{ type: 'Ready', status: 'False' }],
      initContainerStatuses: [running('istio-proxy', false, true)],
      containerStatuses: [running('webhook', isReady, isReady)],
    },
  });
  return {
    ...one,
    spec: { ...one.spec, initContainers: [{ name: 'istio-proxy', restartPolicy: 'Always' }] },
  };
};

const done = pod({
  metadata: {
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'Job', name: 'policy', uid: 'uid-job', controller: true },
    ],
  },
  status: { phase: 'Succeeded', conditions: [{ type: 'Ready', status: 'False' }] },
});

describeCheck(noReadyEndpoint, {
  reports: [
    {
      name: 'Pods of which none is ready',
      facts: only([waiting('CrashLoopBackOff')]),
      expect: { messageId: 'noneReady', data: { ...found, total: 1 } },
    },
    {
      name: 'slices of which nothing is ready, and nothing else could be read',
      facts: healthy({
        endpointSlices: sliced(slice([unreadyEndpoint()])),
        pods: forbidden(),
        endpointPods: forbidden(),
        events: forbidden(),
        nodes: forbidden(),
        secrets: forbidden(),
      }),
      expect: { messageId: 'noneReady', data: { ...found, total: 1 } },
    },
    {
      name: 'endpoints without Pods of a Service without a selector',
      facts: healthy({
        services: objects(service({ selector: {} })),
        endpointSlices: sliced(slice([{ addresses: ['192.0.2.9'], conditions: { ready: false } }])),
        pods: lists({}),
      }),
      expect: { messageId: 'noneReadyByHand', data: { ...found, total: 1 } },
    },
    {
      name: 'empty slices, and nothing else could be read',
      facts: empty({ pods: forbidden() }),
      expect: { messageId: 'none', data: found },
    },
    {
      name: 'no slice at all',
      facts: empty({ endpointSlices: lists({}), pods: forbidden() }),
      expect: { messageId: 'none', data: found },
    },
    {
      name: 'no Pod with these labels',
      facts: empty(),
      expect: { messageId: 'noPods', data: { ...found, selector: 'app=policy' } },
    },
    {
      name: 'a Service without selector and without addresses',
      facts: empty({ services: objects(service({ selector: {} })) }),
      expect: { messageId: 'noSelector', data: found },
    },
    {
      name: 'a slice with the name of such a Service, and without its label',
      facts: byHand({ name: 'policy-1' }),
      expect: {
        messageId: 'unlabelled',
        data: { ...found, slice: 'policy-1' },
        names: { slice: 'policy-1' },
      },
    },
    {
      name: 'a slice that such a Service owns',
      facts: byHand({
        name: 'addresses',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'policy', uid: 'u' }],
      }),
      expect: { messageId: 'unlabelled', data: { ...found, slice: 'addresses' } },
    },
    {
      name: 'a slice with another name, one of another Service, and one of other clusters',
      facts: byHand(
        { name: 'other' },
        { name: 'policy-metrics-1' },
        { name: 'policy-2', labels: { 'multicluster.kubernetes.io/service-name': 'policy' } },
      ),
      expect: { messageId: 'noSelector', data: found },
    },
    {
      name: 'Pods that all are terminating, whose grace period has not passed',
      facts: only([terminatingUntil('2026-01-01T00:04:00Z')]),
      expect: {
        messageId: 'leaving',
        data: { ...found, pods: 'Pod policy-1', until: '2026-01-01T00:04:00Z' },
        names: { pod: 'policy-1' },
      },
    },
    {
      name: 'Pods that all are terminating in a namespace that is, too: no new ones can be created',
      facts: only([terminatingUntil('2026-01-01T00:04:00Z')], {
        namespaces: objects({ metadata: { name: 'shop', deletionTimestamp: '2025-12-31T23:59:00Z' } }),
      }),
      expect: { messageId: 'noneReady' },
    },
    {
      name: 'Pods that are terminating, and whose grace period has passed',
      facts: only([terminatingUntil('2025-12-31T23:00:00Z')]),
      expect: { messageId: 'noneReady' },
    },
    {
      name: 'Pods that are starting',
      facts: only([starting]),
      expect: { messageId: 'starting', data: { ...found, created: ' (created 2 seconds ago)' } },
    },
    {
      name: 'Pods that were created hours ago, and have no container',
      facts: only([
        { ...starting, metadata: { ...starting.metadata, creationTimestamp: '2025-12-31T20:00:00Z' } },
      ]),
      expect: { messageId: 'startsLong', data: { ...found, created: ' (created 4 hours ago)' } },
    },
    {
      name: 'a Pod that was created after the report, by another clock',
      facts: only([
        { ...starting, metadata: { ...starting.metadata, creationTimestamp: '2026-01-01T00:05:00Z' } },
      ]),
      expect: { messageId: 'starting', data: { ...found, created: '' } },
    },
    {
      name: 'Pods whose init container runs for an hour',
      facts: only([
        {
          ...initializing,
          metadata: { ...initializing.metadata, creationTimestamp: '2025-12-31T23:00:00Z' },
        },
      ]),
      expect: { messageId: 'initializesLong' },
    },
    {
      name: 'Pods whose init container runs',
      facts: only([initializing, as(initializing, { name: 'policy-2', uid: 'uid-2' })]),
      expect: {
        messageId: 'initializing',
        data: { ...found, container: 'wait-for-db', since: '2025-12-31T23:59:20Z' },
      },
    },
    {
      name: 'Pods of which only one is in its init container',
      facts: only([starting, as(initializing, { name: 'policy-2', uid: 'uid-2' })]),
      expect: { messageId: 'starting', data: { ...found, created: ' (created 2 seconds ago)' } },
    },
    ...[false, true].map((isReady) => ({
      name: `Pods with a sidecar that has started, and a container that is ${isReady ? '' : 'not '}Ready`,
      facts: only([afterSidecar(isReady)]),
      expect: { messageId: 'starting' as const, data: { ...found, created: ' (created 10 seconds ago)' } },
    })),
    {
      name: 'Pods with a sidecar that has not started',
      facts: only([withSidecar]),
      expect: {
        messageId: 'initializing',
        data: { ...found, container: 'wait-for-db', since: '2025-12-31T23:59:20Z' },
      },
    },
    {
      name: 'Pods that are starting, and fail their readiness probe',
      facts: only([starting], events(event('Unhealthy', 'Readiness probe failed: EOF'))),
      expect: {
        messageId: 'starting',
        data: { ...found, created: ' (created 2 seconds ago)' },
        evidence: 'ContainerCreating: Readiness probe failed: EOF',
      },
    },
    ...(
      [
        ['the new data of its Secret', 'starting', 200, 300, 20],
        ['new data of its Secret that came before its start', 'noneReady', 200, 300, 250],
        ['data of its Secret that is 2 minutes old', 'noneReady', 200, 300, 120],
        ['new data of its Secret, and was Ready before', 'noneReady', 200, 30, 20],
      ] as const
    ).map(([what, messageId, started, since, written]) => ({
      name: `a Pod that is not Ready, and has ${what}`,
      facts: only([awaitingSecret(started, since)], {
        secrets: objects({
          ...secret({}),
          metadata: { namespace: 'shop', name: 'policy-tls' },
          writers: [{ manager: 'rotator', at: ago(written) }],
        }),
      }),
      expect: { messageId },
    })),
    {
      name: 'slices made by hand under another port name',
      facts: empty({
        services: objects(service({ selector: {}, ports: [port({ name: 'webhook' })] })),
        endpointSlices: sliced(slice(undefined, { ports: [{ name: 'https', port: 8443 }] })),
      }),
      expect: {
        messageId: 'portNameDiffers',
        data: { ...found, port: 'webhook', ports: 'https' },
        evidence: 'https',
      },
    },
    {
      name: 'the same for an unnamed port',
      facts: empty({ endpointSlices: sliced(slice(undefined, { ports: [{ name: 'https', port: 8443 }] })) }),
      expect: {
        messageId: 'portNameDiffers',
        data: { ...found, port: 'without a name', ports: 'https' },
      },
    },
    {
      name: 'slices made by hand that give addresses and no port',
      facts: empty({
        services: objects(service({ selector: {} })),
        endpointSlices: sliced(slice(undefined, { ports: null })),
      }),
      expect: { messageId: 'noPort', data: found },
    },
    {
      name: 'the same with a port that has no number',
      facts: empty({
        services: objects(service({ selector: {} })),
        endpointSlices: sliced(slice(undefined, { ports: [{ name: '' }] })),
      }),
      expect: { messageId: 'noPort', data: found },
    },
    {
      name: 'Pods of a Job that is done',
      facts: empty({ pods: lists({ 'shop/policy': [done] }) }),
      expect: { messageId: 'ended', data: { ...found, pods: 'Pod policy-1' } },
    },
    ...[
      { is: 'FQDN', slices: slice([{ addresses: ['policy.example.com'] }], { addressType: 'FQDN' }) },
      { is: 'IPv6', slices: slice([{ addresses: ['2001:db8::7'] }], { addressType: 'IPv6' }) },
      { is: 'UDP', slices: slice(undefined, { ports: [{ port: 8443, protocol: 'UDP' }] }) },
    ].flatMap(({ is, slices }) => [
      {
        name: `endpoints that kube-proxy cannot use: ${is}`,
        facts: healthy({ endpointSlices: sliced(slices) }),
        expect: { messageId: 'notProxied', data: { ...found, clusterIP: '203.0.113.10', kinds: is } },
      },
      {
        name: `possibly them if the routing mode is unknown: ${is}`,
        facts: healthy({ endpointSlices: sliced(slices), routing: { mode: undefined } }),
        expect: {
          messageId: 'perhapsNotProxied',
          data: { ...found, clusterIP: '203.0.113.10', kinds: is },
        },
      },
    ]),
    {
      name: 'only terminating ones where the API server routes to endpoints',
      facts: healthy({ endpointSlices: sliced(slice([leaving])), routing: { mode: 'endpoints' } }),
      expect: { messageId: 'noneReady', data: { ...found, total: 1 } },
    },
    {
      name: 'the backend of a conversion webhook',
      facts: empty({ callouts: [conversion()] }),
      expect: { messageId: 'noPods' },
    },
    {
      name: 'the backend of an APIService',
      facts: empty({ callouts: [aggregatedApi()] }),
      expect: { messageId: 'noPods' },
    },
    {
      name: 'a headless Service, whatever the mode',
      facts: empty({ services: objects(service({ clusterIP: 'None' })) }),
      expect: { messageId: 'noPods' },
    },
  ],
  reportsNothing: [
    { name: 'a replica is ready', facts: healthy(), outcome: 'pass' },
    {
      name: 'a replica is ready and the Pods were not looked at',
      facts: healthy({ pods: nothingRead({ what: 'Pods', why: 'not-requested' }) }),
      outcome: 'pass',
    },
    {
      name: 'one replica of two is ready',
      facts: healthy({
        endpointSlices: sliced(slice(), slice([unreadyEndpoint({ addresses: ['198.51.100.8'] })])),
      }),
      outcome: 'pass',
    },
    {
      name: 'kube-proxy falls back to those that terminate',
      facts: healthy({ endpointSlices: sliced(slice([leaving])), routing: { mode: 'cluster-ip' } }),
      outcome: 'pass',
    },
    {
      name: 'the API server connects to endpoints of another family',
      facts: healthy({
        endpointSlices: sliced(slice([{ addresses: ['2001:db8::7'] }], { addressType: 'IPv6' })),
        routing: { mode: 'endpoints' },
      }),
      outcome: 'pass',
    },
    {
      name: 'conditions are absent, which means ready',
      facts: healthy({ endpointSlices: sliced(slice([{ addresses: ['198.51.100.7'] }])) }),
      outcome: 'pass',
    },
    {
      name: 'the Service is missing, which a routing check reports',
      facts: empty({ services: objects() }),
      outcome: 'not-applicable',
    },
    {
      name: 'the Service lacks the port, and its other port is ambiguous',
      facts: empty({
        services: objects(service({ ports: [port({ port: 8080 }), port({ name: 'other', port: 8081 })] })),
      }),
      outcome: 'not-applicable',
    },
    {
      name: 'the Service is a DNS name',
      facts: empty({ services: objects(service({ type: 'ExternalName' })) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'EndpointSlices must not be read', facts: empty({ endpointSlices: forbidden() }) }],
});
