import { mayCover } from '../../apiserver/admission/impact.ts';
import { isParked, podReferencesOf } from '../../apiserver/held-pods/placeholder-scheduler.ts';
import { blame } from '../../apiserver/sentences/blamed.ts';
import {
  type AdmissionCallout,
  type Callout,
  failsOpen,
  isAdmission,
  isServiceBacked,
} from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { type Event, lastSeen } from '../../facts/objects/event.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import {
  type PodController,
  type PodControllerKind,
  podControllerKinds,
} from '../../facts/objects/pod-controller.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadOfPod } from '../../facts/workloads.ts';
import { isRead, metadataOnly } from '../attempts.ts';
import { defineCollector, eachKey, ofKey, type Wishes } from '../collector.ts';
import { type Resource, resources, toRead } from '../resource.ts';
import { type BackendFacts, backendFacts, backendsInQuestion } from '../suspicion.ts';

const create = (group: string, resource: string) => ({
  operation: 'CREATE' as const,
  group,
  version: 'v1',
  resource,
});
const pods = create('', 'pods');
/** Where a webhook that parks Pods can do it. */
const templates = [
  pods,
  create('apps', 'deployments'),
  create('apps', 'replicasets'),
  create('apps', 'statefulsets'),
  create('apps', 'daemonsets'),
  create('batch', 'jobs'),
];

const stopsPods = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) && !failsOpen(callout) && mayCover(callout, pods);

/** Webhooks through which Pods may have come to wait for a scheduler that nobody runs. */
export const mayPark = (callout: Callout): boolean =>
  callout.kind === 'mutating' && templates.some((request) => mayCover(callout, request));

/** Webhooks that keep Pods from being created while their backend is in question. */
function maybeStopping(facts: BackendFacts, wishes: Wishes): readonly AdmissionCallout[] {
  const inQuestion = new Set(backendsInQuestion(facts, wishes).map(({ key }) => key));
  return wishes.asked.filter(stopsPods).filter(
    (callout) =>
      // Of a URL no object tells whether anybody answers there.
      wishes.closely || !isServiceBacked(callout) || inQuestion.has(keyOf(callout.client.service)),
  );
}

/** One list of the FailedCreate events of all namespaces: workloads that were refused Pods. */
export const failedCreateEvents = defineCollector({
  fact: 'failedCreateEvents',
  topics: ['failures'],
  needs: backendFacts,
  rights: [toRead(resources.events, ['list'], 'cluster', 'workloads that were refused Pods already')],
  otherwise: 'FailedCreate events while no callout that stops Pods fails',
  wants: (facts, wishes) => (maybeStopping(facts, wishes).length > 0 ? ['FailedCreate'] : []),
  read: (access, keys) =>
    eachKey(keys, () =>
      access.list<Event>(resources.events, {
        query: { fieldSelector: 'type=Warning,reason=FailedCreate' },
        selection: 'FailedCreate events',
      }),
    ),
});

/** One list of the Pods that no node has, in all namespaces, where somebody asked closely. */
export const pendingPods = defineCollector({
  fact: 'pendingPods',
  topics: ['failures'],
  needs: [],
  rights: [toRead(resources.pods, ['list'], 'cluster', 'Pods that a webhook keeps from being scheduled')],
  otherwise: 'Pods that wait, while nobody asks closely',
  wants: (_facts, { asked, closely }) => (closely && asked.some(mayPark) ? ['Pending'] : []),
  read: (access, keys) =>
    eachKey(keys, () =>
      access.list<Pod>(resources.pods, {
        query: { fieldSelector: 'status.phase=Pending' },
        selection: 'Pending Pods',
      }),
    ),
});

/** Pods that wait, of all namespaces. */
export const waitingPods = ({ pendingPods: pending }: Pick<Facts, 'pendingPods'>): readonly Pod[] =>
  pending.known('Pending') ? (pending.get('Pending') ?? []) : [];

const parkedPods = (facts: Pick<Facts, 'pendingPods'>): readonly Pod[] =>
  waitingPods(facts).filter(isParked).slice(0, 20);

/** Whether the ConfigMaps and Secrets exist that parked Pods wait for; by `Kind namespace/name`. */
export const podReferences = defineCollector({
  fact: 'podReferences',
  topics: ['failures'],
  needs: ['pendingPods'],
  rights: [
    toRead(
      resources.configMaps,
      ['get'],
      'backends',
      'whether what such Pods wait for exists (metadata alone)',
    ),
    toRead(resources.secrets, ['get'], 'backends', 'whether what such Pods wait for exists (metadata alone)'),
  ],
  atMost: 20,
  otherwise: 'an input that no parked Pod refers to',
  wants: (facts) =>
    parkedPods(facts)
      .flatMap(podReferencesOf)
      .map((ref) => `${ref.kind} ${keyOf(ref)}`),
  read: (access, keys) =>
    eachKey(keys, async (key) => {
      const [kind, of = ''] = key.split(' ');
      const { namespace, name } = ofKey(of);
      const resource = kind === 'Secret' ? resources.secrets : resources.configMaps;
      const where = { namespace, accept: metadataOnly };
      const reading = await access.get<{ readonly metadata: Metadata }>(resource, name, where);
      return isRead(reading) ? { value: reading.value?.metadata } : reading;
    }),
});

const resourceOf: Readonly<Record<PodControllerKind, Resource>> = {
  Deployment: resources.deployments,
  ReplicaSet: resources.replicaSets,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
  Job: resources.jobs,
};

const isControllerKind = (kind: string | undefined): kind is PodControllerKind =>
  kind !== undefined && Object.hasOwn(resourceOf, kind);

/** What could not create Pods because of one of the callouts, as the newest event about it says, newest first. */
function refusedControllers(events: readonly Event[], callouts: readonly Callout[]): readonly string[] {
  const found = new Set<string>();
  const newest = [...events].sort((a, b) => (lastSeen(b) ?? '').localeCompare(lastSeen(a) ?? ''));
  for (const { involvedObject, message = '' } of newest) {
    const { kind, namespace = '', name = '' } = involvedObject;
    const key = `${kind} ${namespace}/${name}`;
    if (!podControllerKinds.some((known) => known === kind) || found.has(key)) continue;
    if (blame(message, callouts) !== undefined) found.add(key);
  }
  return [...found].slice(0, 20);
}

/** What lacks Pods, and what makes those that are parked, by `Kind namespace/name`. */
export const podControllers = defineCollector({
  fact: 'podControllers',
  topics: ['failures'],
  needs: [...backendFacts, 'failedCreateEvents', 'pendingPods'],
  rights: Object.values(resourceOf).map((resource) =>
    toRead(resource, ['get'], 'cluster', 'how many Pods a refused workload lacks'),
  ),
  otherwise: 'what makes Pods and was not named',
  wants(facts, wishes) {
    const events = facts.failedCreateEvents.known('FailedCreate')
      ? (facts.failedCreateEvents.get('FailedCreate') ?? [])
      : [];
    const owners = parkedPods(facts).map((pod) => ({ ...pod.metadata, ...workloadOfPod(pod) }));
    return [
      ...(events.length === 0 ? [] : refusedControllers(events, maybeStopping(facts, wishes))),
      ...owners
        .filter(({ kind }) => isControllerKind(kind))
        .map(({ kind, namespace = '', name }) => `${kind} ${namespace}/${name}`),
    ];
  },
  read: (access, keys) =>
    eachKey(keys, async (key) => {
      const [kind = '', of = ''] = key.split(' ');
      if (!isControllerKind(kind)) return { value: undefined };
      const { namespace, name } = ofKey(of);
      const reading = await access.get<Omit<PodController, 'kind'>>(resourceOf[kind], name, { namespace });
      return isRead(reading) ? { value: reading.value && { ...reading.value, kind } } : reading;
    }),
});
