import { mayCover } from '../../../apiserver/admission/impact.ts';
import { isHeld, podReferencesOf } from '../../../apiserver/held-pods/placeholder-scheduler.ts';
import { defined, groupBy } from '../../../basics/collections.ts';
import type { Callout } from '../../../facts/callout.ts';
import { keyOf, type ObjectRef } from '../../../facts/object-ref.ts';
import type { Pod, StartingPod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { isRead, metadataOfAll, readMetadata } from '../../attempts.ts';
import { type Access, defineCollector, eachKey, type ReadOptions } from '../../collector.ts';
import { type BackendFacts, brokenBackends, brokenFacts, podsOf } from '../../suspect-backends.ts';
import { crashedContainer } from '../../suspect-pods.ts';

const create = (group: string, resource: string) => ({
  operation: 'CREATE' as const,
  group,
  version: 'v1',
  resource,
});
/** The requests in which a webhook can hold Pods in Pending. */
const templates = [
  create('', 'pods'),
  create('apps', 'deployments'),
  create('apps', 'replicasets'),
  create('apps', 'statefulsets'),
  create('apps', 'daemonsets'),
  create('batch', 'jobs'),
];

/** Webhooks that may have set a placeholder schedulerName on Pods. */
export const mayHoldPods = (callout: Callout): boolean =>
  callout.kind === 'mutating' && templates.some((request) => mayCover(callout, request));

const pending = { fieldSelector: 'status.phase=Pending' };

/** Above this number of namespaces, one list over all of them costs less. */
const severalLists = 3;

/**
 * Lists Pending Pods from the memory of the API server, and keeps of their metadata what decides whether a Service waits
 * for them: annotations may contain anything.
 */
const listStarting = (access: Access, namespace?: string, asked?: ReadonlySet<string | undefined>) =>
  access.list<StartingPod>(resources.Pod, {
    ...defined({ namespace }),
    ...{ accept: metadataOfAll, query: { ...pending, resourceVersion: '0' } },
    ...{ selection: 'Pending Pods', extra: true },
    keep({ metadata }: StartingPod): StartingPod | undefined {
      if (asked?.has(metadata.namespace) === false) return undefined;
      const { name, namespace: home, labels, creationTimestamp } = metadata;
      return { metadata: { name, ...defined({ namespace: home, labels, creationTimestamp }) } };
    },
  });

/**
 * Collects the metadata of Pods that have not started, by namespace of the backends: an EndpointSlice contains no Pod
 * without an IP address, such as a new one whose volume is missing.
 */
export const startingPods = defineCollector({
  fact: 'startingPods',
  needs: [],
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'new Pods of a backend that have not started')],
  otherwise: 'Pods that have not started',
  wants: (_facts, { chosen, examineAll, examineIn = [] }) =>
    examineAll
      ? []
      : chosen
          .flatMap(({ client }) => client.service?.namespace ?? [])
          .filter((namespace) => !examineIn.includes(namespace)),
  async read(access, namespaces) {
    if (namespaces.length <= severalLists)
      return eachKey(namespaces, (namespace) => listStarting(access, namespace));
    const reading = await listStarting(access, undefined, new Set(namespaces));
    if (!isRead(reading)) return new Map(namespaces.map((name) => [name, reading]));
    const found = groupBy(reading.value, ({ metadata }) => metadata.namespace ?? '');
    return new Map(namespaces.map((name) => [name, { value: found.get(name) ?? [] }]));
  },
});

/** Collects the Pods without a node with one list over all namespaces, if webhooks are examined. */
export const pendingPods = defineCollector({
  fact: 'pendingPods',
  needs: [],
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'Pods that a webhook holds in Pending')],
  otherwise: 'Pending Pods (read only with --deep, and for named webhooks)',
  wants: (_facts, { chosen, examineAll }) => (examineAll && chosen.some(mayHoldPods) ? ['Pending'] : []),
  readEach: (access) =>
    access.list<Pod>(resources.Pod, {
      query: pending,
      selection: 'Pending Pods',
    }),
});

/** Returns the Pods without a node, of all namespaces. */
export const waitingPods = ({ pendingPods }: Pick<Facts, 'pendingPods'>): readonly Pod[] =>
  pendingPods.getIfKnown('Pending') ?? [];

/** Returns those of them that no scheduler may schedule, up to a limit. */
export const heldCandidates = (facts: Pick<Facts, 'pendingPods'>): readonly Pod[] =>
  waitingPods(facts).filter(isHeld).slice(0, 20);

/** ConfigMaps of crashed Pods, of one for each backend: their last change may explain the crash. */
const configMapsOfCrashed = (
  facts: Pick<Facts, 'pods' | 'namespaces'> & BackendFacts,
  readOptions: ReadOptions,
): readonly ObjectRef[] =>
  brokenBackends(facts, readOptions)
    .flatMap((backend) => podsOf(facts, backend).find((pod) => crashedContainer(pod) !== undefined) ?? [])
    .flatMap(podReferencesOf)
    .filter(({ kind }) => kind === 'ConfigMap');

/**
 * Collects the metadata of ConfigMaps and Secrets that Pending Pods wait for, and of ConfigMaps of crashed Pods, by
 * `Kind namespace/name`.
 */
export const podReferences = defineCollector({
  fact: 'podReferences',
  needs: ['pendingPods', 'pods', ...brokenFacts],
  permissions: [resources.ConfigMap, resources.Secret].map((resource) =>
    toRead(
      resource,
      ['get'],
      'backends',
      'whether the objects that held Pods wait for exist, and the last change of those of crashed Pods (metadata only)',
    ),
  ),
  atMost: 20,
  otherwise: 'an object that no held or crashed Pod refers to',
  wants: (facts, readOptions) =>
    [...heldCandidates(facts).flatMap(podReferencesOf), ...configMapsOfCrashed(facts, readOptions)].map(
      (ref) => `${ref.kind} ${keyOf(ref)}`,
    ),
  readEach(access, key) {
    const [kind, of = ''] = key.split(' ');
    return readMetadata(access, kind === 'Secret' ? resources.Secret : resources.ConfigMap, of);
  },
});

/** Returns the claims of a Pod without a node: a claim that is not bound prevents scheduling. */
const volumeClaimsOf = ({ metadata: { namespace }, spec, status }: Pod): readonly string[] =>
  spec.nodeName !== undefined || status.phase !== 'Pending'
    ? []
    : (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
        claim === undefined ? [] : [keyOf({ namespace, name: claim.claimName })],
      );

export const persistentVolumeClaims = defineCollector({
  fact: 'persistentVolumeClaims',
  needs: ['pods'],
  permissions: [
    toRead(
      resources.PersistentVolumeClaim,
      ['get'],
      'backends',
      'PersistentVolumeClaims that a Pod waits for (metadata only)',
    ),
  ],
  atMost: 10,
  otherwise: 'a claim that no suspect replica waits for',
  wants: ({ pods }) => pods.all().flat().flatMap(volumeClaimsOf),
  readEach: (access, key) => readMetadata(access, resources.PersistentVolumeClaim, key),
});
