import { nothingRead } from '../../../src/facts/lookup.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Event } from '../../../src/facts/objects/event.ts';
import type { ContainerStatus, Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { healthy, lists, objects, pod, service, slice, takenAt, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

/** Seconds before the snapshot, RFC 3339. */
export const ago = (seconds: number): string => new Date(Date.parse(takenAt) - seconds * 1000).toISOString();

/** A container `webhook` that is not ready. */
export const status = (over: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'webhook',
  ready: false,
  started: false,
  restartCount: 0,
  ...over,
});

const notReady = { type: 'Ready', status: 'False', reason: 'ContainersNotReady' } as const;

/** A Pod of the ReplicaSet policy-abc that is not ready, an hour old. */
export const unready = (
  over: {
    metadata?: Partial<Pod['metadata']>;
    spec?: Partial<Pod['spec']>;
    status?: Partial<Pod['status']>;
  } = {},
): Pod =>
  pod({
    metadata: { creationTimestamp: ago(3600), ...over.metadata },
    ...(over.spec === undefined ? {} : { spec: over.spec }),
    status: { phase: 'Pending', conditions: [notReady], containerStatuses: [status()], ...over.status },
  });

export const waiting = (reason: string, message?: string, more: Partial<ContainerStatus> = {}): Pod =>
  unready({
    status: {
      containerStatuses: [
        status({ state: { waiting: { reason, ...(message === undefined ? {} : { message }) } }, ...more }),
      ],
    },
  });

/** A Warning event about the Pod policy-1. */
export const event = (reason: string, message: string, over: Partial<Event> = {}): Event => ({
  metadata: { name: `policy-1.${reason}`, namespace: 'shop' },
  involvedObject: { kind: 'Pod', namespace: 'shop', name: 'policy-1', uid: 'uid-1' },
  type: 'Warning',
  reason,
  message,
  count: 8,
  lastTimestamp: ago(10),
  ...over,
});
export const events = (...all: readonly Event[]): Partial<Facts> => ({ events: lists({ shop: all }) });

export const endpointOf = ({ metadata, status: { podIP } }: Pod, ready: boolean): Endpoint => ({
  addresses: [podIP ?? ''],
  conditions: { ready, serving: ready, terminating: false },
  targetRef: {
    kind: 'Pod',
    namespace: 'shop',
    name: metadata.name,
    ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
  },
});

/** The backend with these Pods, none of them Ready. */
export const only = (pods: readonly Pod[], over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({
    endpointSlices: lists({ 'shop/policy': [slice(pods.map((one) => endpointOf(one, false)))] }),
    pods: lists({ 'shop/policy': pods }),
    ...over,
  });

const named = (name: string, ip: string): Pod =>
  pod({
    metadata: { name, uid: `uid-${name}`, creationTimestamp: ago(7200) },
    spec: { nodeName: 'n9' },
    status: { podIP: ip, podIPs: [{ ip }] },
  });
/** A Pod that responds. */
export const good = named('policy-good', '198.51.100.8');
/** An endpoint names it, but the selector no longer matches it. */
const relabelled = named('policy-relabelled', '198.51.100.9');

/** The backend with these Pods, and two that respond. @param met calls also reach the given Pods. */
export const beside = (pods: readonly Pod[], over: Partial<Facts> = {}, met = false): Partial<Facts> =>
  healthy({
    endpointSlices: lists({
      'shop/policy': [
        slice([
          endpointOf(relabelled, true),
          endpointOf(good, true),
          ...pods.map((one) => endpointOf(one, met)),
        ]),
      ],
    }),
    pods: lists({ 'shop/policy': [good, ...pods] }),
    endpointPods: objects(relabelled),
    ...over,
  });

/** The same Pod with another owner or creation time. */
export const as = (of: Pod, metadata: Partial<Pod['metadata']>): Pod => ({
  ...of,
  metadata: { ...of.metadata, ...metadata },
});

const ofJob = {
  ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job-1', controller: true }],
};
const ofNewRevision = (name: string) => ({
  name,
  uid: `uid-${name}`,
  labels: { app: 'policy', 'pod-template-hash': 'new' },
  ownerReferences: [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'policy-new', uid: 'rs-new', controller: true },
  ],
});

/** A Ready Pod of a newer ReplicaSet: the given Pod is being replaced by a rollout. */
export const replacedByReady = (old: Pod, over: Partial<Facts> = {}): Partial<Facts> => {
  const next = as(pod({ status: { podIP: '198.51.100.20' } }), {
    ...ofNewRevision('policy-new-1'),
    creationTimestamp: ago(60),
  });
  return healthy({
    endpointSlices: lists({ 'shop/policy': [slice([endpointOf(next, true), endpointOf(old, false)])] }),
    pods: lists({ 'shop/policy': [old, next] }),
    ...over,
  });
};

/** Cases without a finding for every check of a Pod's state, from a Pod in that state and its facts. */
export const silences = (bad: Pod, over: Partial<Facts> = {}) => [
  { name: 'all Pods are ready', facts: healthy(over), outcome: 'pass' as const },
  { name: 'the Pod belongs to a Job', facts: only([as(bad, ofJob)], over), outcome: 'pass' as const },
  { name: 'a rollout has replaced it', facts: replacedByReady(bad, over), outcome: 'pass' as const },
  {
    name: 'nothing called for a look at the Pods',
    facts: healthy({ pods: nothingRead({ what: 'the Pods', why: 'not-requested' }) }),
    outcome: 'not-applicable' as const,
  },
  {
    name: 'the webhook is a URL',
    facts: only([bad], { ...over, callouts: [webhook({ client: { url: 'https://hooks.example.com' } })] }),
    outcome: 'not-applicable' as const,
  },
  {
    name: 'the Service has no selector',
    facts: only([bad], { ...over, services: objects(service({ selector: {} })) }),
    outcome: 'not-applicable' as const,
  },
];

export const doubts = [
  {
    name: 'Pods must not be read',
    facts: healthy({
      endpointSlices: lists({ 'shop/policy': [slice([endpointOf(unready(), false)])] }),
      pods: forbidden('pods in namespace shop'),
    }),
  },
];
