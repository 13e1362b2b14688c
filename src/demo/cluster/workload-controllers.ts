import type { Condition, OwnerReference } from '../../facts/objects/metadata.ts';
import type { Pod, PodSpec, PodTemplate } from '../../facts/objects/pod.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import { uidOf } from '../api-server/object-store.ts';
import { ago } from './ago.ts';
import type { Behaviour } from './behaviour.ts';
import { withDefaults } from './defaults.ts';
import { generated } from './generated-name.ts';
import type { WorkloadPart } from './manifests.ts';
import { podState, type Surroundings, type Told } from './pod-state.ts';

/** What controllers and kubelets may ask of the rest of the cluster. */
export interface Around {
  /** Where the Pod goes, and what it finds there. */
  placeOf(name: string, namespace: string, spec: PodSpec, ordinal: number): Surroundings;
  /** What the API server says to whoever creates the Pod; undefined: it lets it pass. */
  refusal(name: string, namespace: string, spec: PodSpec): string | undefined;
  /** On how many nodes a DaemonSet places such a Pod. */
  nodesFor(spec: PodSpec): number;
}

/** What controllers made of a workload. Logs: by `namespace/pod/container`. */
export interface Made {
  readonly objects: readonly ApiObject[];
  readonly logs: ReadonlyMap<string, string>;
}

interface Template extends PodTemplate {
  readonly spec: PodSpec;
}
const templateOf = (manifest: ApiObject): Template => (manifest.spec as { template: Template }).template;
const labelOf = (template: Template): Readonly<Record<string, string>> => template.metadata?.labels ?? {};

const ownedBy = ({ apiVersion, kind, metadata }: ApiObject): readonly OwnerReference[] => [
  {
    ...{ apiVersion, kind, name: metadata.name, controller: true },
    uid: metadata.uid ?? uidOf(kind, metadata.namespace, metadata.name),
  },
];

/** An event about an object, in its namespace. */
export function eventAbout(object: ApiObject, told: Told): ApiObject {
  const { kind, apiVersion, metadata } = object;
  const { name, namespace = 'default' } = metadata;
  const { component, ...rest } = told;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace,
      name: `${name}.${generated(`${kind}/${name}/${told.reason}/${told.message}`, 16)}`,
    },
    involvedObject: { kind, apiVersion, namespace, name, uid: ownedBy(object)[0]?.uid },
    ...rest,
    firstTimestamp: ago('2h'),
    lastTimestamp: ago('1m'),
    source: { component },
    reportingComponent: component,
  };
}

interface Replica {
  readonly name: string;
  readonly behaviour: Behaviour;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: ApiObject;
  readonly ordinal: number;
}

function deletion(behaviour: Behaviour): Partial<ApiObject['metadata']> {
  if (behaviour.is === 'leaving') return { deletionTimestamp: ago('3s') };
  if (behaviour.is === 'stuck-terminating')
    return {
      deletionTimestamp: ago('40m'),
      ...(behaviour.finalizer === undefined ? {} : { finalizers: [behaviour.finalizer] }),
    };
  return {};
}

/** One Pod with its events and logs. */
function makePod(replica: Replica, template: Template, around: Around): Made {
  const { name, behaviour, labels, owner, ordinal } = replica;
  const { namespace = 'default' } = owner.metadata;
  const place = around.placeOf(name, namespace, template.spec, ordinal);
  const state = podState(template.spec, place, behaviour);
  const pod = withDefaults({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace, labels, ownerReferences: ownedBy(owner), creationTimestamp: ago('2d') },
      ...deletion(behaviour),
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
    },
    spec: { ...template.spec, ...(place.node === undefined ? {} : { nodeName: place.node.name }) },
    status: state.status,
  });
  const logs = Object.entries(state.logs).flatMap(([container, text]): [string, string][] => [
    [`${namespace}/${name}/${container}`, text],
    [`${namespace}/${name}/${container}/previous`, text],
  ]);
  return { objects: [pod, ...state.told.map((told) => eventAbout(pod, told))], logs: new Map(logs) };
}

const join = (made: readonly Made[]): Made => ({
  objects: made.flatMap(({ objects }) => objects),
  logs: new Map(made.flatMap(({ logs }) => [...logs])),
});

const podsIn = (made: Made): readonly ApiObject[] => made.objects.filter(({ kind }) => kind === 'Pod');
const isReady = (pod: ApiObject): boolean =>
  ((pod.status as Pod['status']).conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

/** Pods that their controller still counts: neither ended nor going. */
const counted = (pod: ApiObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  !['Failed', 'Succeeded'].includes((pod.status as Pod['status']).phase ?? '');

const behaviourOf = (pods: readonly Behaviour[], ordinal: number): Behaviour =>
  pods[ordinal] ?? pods.at(-1) ?? { is: 'ready' };

const failedCreate = (controller: string, message: string): Told => ({
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating: ${message}`,
  count: 17,
  component: controller,
});
const replicaFailure = (message: string): Condition => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message,
  lastTransitionTime: ago('2h'),
});

/** A ReplicaSet of a Deployment and its Pods. An evicted Pod stays and is replaced by one that waits for room. */
function replicaSet(
  part: WorkloadPart,
  pods: readonly Behaviour[],
  count: number,
  revision: number,
  around: Around,
) {
  const { manifest } = part;
  const template = templateOf(manifest);
  const { name: owner, namespace = 'default' } = manifest.metadata;
  const hash = generated(`${namespace}/${owner}/${revision}`, 10);
  const name = `${owner}-${hash}`;
  const labels = { ...labelOf(template), 'pod-template-hash': hash };
  const set: ApiObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...{
        name,
        namespace,
        labels,
        uid: uidOf('ReplicaSet', namespace, name),
        ownerReferences: ownedBy(manifest),
      },
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    },
    spec: {
      replicas: count,
      selector: { matchLabels: { ...labelOf(template), 'pod-template-hash': hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  const refused =
    part.refused ?? (count === 0 ? undefined : around.refusal(`${name}-`, namespace, template.spec));
  const made =
    refused === undefined
      ? join(
          Array.from({ length: Math.max(count, pods.length > 1 ? pods.length : 0) }, (_, ordinal) =>
            makePod(
              {
                ...{ labels, owner: set, ordinal, behaviour: behaviourOf(pods, ordinal) },
                name: `${name}-${generated(`${name}/${ordinal}`, 5)}`,
              },
              template,
              around,
            ),
          ),
        )
      : { objects: [eventAbout(set, failedCreate('replicaset-controller', refused))], logs: new Map() };
  const alive = podsIn(made).filter(counted);
  const readyOnes = alive.filter(isReady).length;
  const status = {
    ...{
      replicas: alive.length,
      readyReplicas: readyOnes,
      availableReplicas: readyOnes,
      observedGeneration: 1,
    },
    ...(refused === undefined ? {} : { conditions: [replicaFailure(refused)] }),
  };
  return {
    made: { objects: [withDefaults({ ...set, status }), ...made.objects], logs: made.logs },
    alive,
    refused,
  };
}

function deploymentConditions(
  wanted: number,
  readyOnes: number,
  refused: string | undefined,
): readonly Condition[] {
  const available = readyOnes >= Math.ceil(wanted * 0.75);
  const stuck = refused !== undefined || !available;
  return [
    {
      type: 'Available',
      status: available ? 'True' : 'False',
      reason: available ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: `Deployment ${available ? 'has' : 'does not have'} minimum availability.`,
      lastTransitionTime: ago('2h'),
    },
    {
      type: 'Progressing',
      status: stuck ? 'False' : 'True',
      reason: stuck ? 'ProgressDeadlineExceeded' : 'NewReplicaSetAvailable',
      message: stuck ? 'ReplicaSet has timed out progressing.' : 'ReplicaSet has successfully progressed.',
      lastTransitionTime: ago('2h'),
    },
    ...(refused === undefined ? [] : [replicaFailure(refused)]),
  ];
}

function deployment(part: WorkloadPart, around: Around): Made {
  const { manifest, previous } = part;
  const { replicas: wanted = 1 } = manifest.spec as { replicas?: number };
  const old = previous.length === 0 ? [] : [replicaSet(part, previous, previous.length, 1, around)];
  const leaving = previous.filter(({ is }) => is === 'leaving').length;
  const fresh = wanted - (previous.length - leaving);
  const current = replicaSet(part, part.pods, Math.max(fresh, 0), previous.length === 0 ? 1 : 2, around);
  const alive = [...old, current].flatMap((set) => set.alive);
  const readyOnes = alive.filter(isReady).length;
  const status = {
    observedGeneration: 1,
    replicas: alive.length,
    updatedReplicas: current.alive.length,
    readyReplicas: readyOnes,
    availableReplicas: readyOnes,
    unavailableReplicas: Math.max(wanted - readyOnes, 0),
    conditions: deploymentConditions(wanted, readyOnes, current.refused),
  };
  const object = withDefaults({ ...manifest, status });
  const made = join([...old, current].map((set) => set.made));
  return { objects: [object, ...made.objects], logs: made.logs };
}

function statefulSet(part: WorkloadPart, around: Around): Made {
  const { manifest } = part;
  const { name, namespace = 'default' } = manifest.metadata;
  const template = templateOf(manifest);
  const { replicas: wanted = 1 } = manifest.spec as { replicas?: number };
  const refused =
    part.refused ?? (wanted === 0 ? undefined : around.refusal(`${name}-0`, namespace, template.spec));
  const told = (text: string) =>
    eventAbout(manifest, {
      ...failedCreate('statefulset-controller', text),
      message: `create Pod ${name}-0 in StatefulSet ${name} failed error: ${text}`,
    });
  const made: Made =
    refused === undefined
      ? join(
          Array.from({ length: wanted }, (_, ordinal) => {
            const labels = {
              ...labelOf(template),
              'apps.kubernetes.io/pod-index': String(ordinal),
              'statefulset.kubernetes.io/pod-name': `${name}-${ordinal}`,
            };
            const behaviour = behaviourOf(part.pods, ordinal);
            return makePod(
              { name: `${name}-${ordinal}`, behaviour, labels, owner: manifest, ordinal },
              template,
              around,
            );
          }),
        )
      : { objects: [told(refused)], logs: new Map() };
  const alive = podsIn(made).filter(counted);
  const readyOnes = alive.filter(isReady).length;
  const status = {
    observedGeneration: 1,
    replicas: podsIn(made).length,
    readyReplicas: readyOnes,
    availableReplicas: readyOnes,
  };
  return { objects: [withDefaults({ ...manifest, status }), ...made.objects], logs: made.logs };
}

function daemonSet(part: WorkloadPart, around: Around): Made {
  const { manifest } = part;
  const { name } = manifest.metadata;
  const template = templateOf(manifest);
  const labels = { ...labelOf(template), 'controller-revision-hash': generated(name, 10) };
  const wanted = around.nodesFor(template.spec);
  const made = join(
    Array.from({ length: wanted }, (_, ordinal) =>
      makePod(
        {
          ...{ labels, owner: manifest, ordinal, behaviour: behaviourOf(part.pods, ordinal) },
          name: `${name}-${generated(`${name}/${ordinal}`, 5)}`,
        },
        template,
        around,
      ),
    ),
  );
  const readyOnes = podsIn(made).filter(isReady).length;
  const status = {
    observedGeneration: 1,
    currentNumberScheduled: wanted,
    desiredNumberScheduled: wanted,
    numberMisscheduled: 0,
    numberReady: readyOnes,
    numberAvailable: readyOnes,
    updatedNumberScheduled: wanted,
  };
  return { objects: [withDefaults({ ...manifest, status }), ...made.objects], logs: made.logs };
}

/** Pods of a Job, and Pods that nobody makes. */
function onePod(part: WorkloadPart, around: Around): Made {
  const { manifest } = part;
  const { name } = manifest.metadata;
  const behaviour = behaviourOf(part.pods, 0);
  if (manifest.kind === 'Pod') {
    const spec = manifest.spec as PodSpec;
    const place = around.placeOf(name, manifest.metadata.namespace ?? 'default', spec, 0);
    const state = podState(spec, place, behaviour);
    const nodeName = place.node === undefined ? {} : { nodeName: place.node.name };
    const pod = withDefaults({ ...manifest, spec: { ...spec, ...nodeName }, status: state.status });
    return { objects: [pod, ...state.told.map((told) => eventAbout(pod, told))], logs: new Map() };
  }
  const template = templateOf(manifest);
  const labels = { ...labelOf(template), 'batch.kubernetes.io/job-name': name };
  const podName = `${name}-${generated(name, 5)}`;
  const made = makePod({ name: podName, behaviour, labels, owner: manifest, ordinal: 0 }, template, around);
  return { objects: [manifest, ...made.objects], logs: made.logs };
}

/** What the controllers make of a workload: itself with its status, its ReplicaSets, Pods and events. */
export function runWorkload(part: WorkloadPart, around: Around): Made {
  switch (part.manifest.kind) {
    case 'StatefulSet':
      return statefulSet(part, around);
    case 'DaemonSet':
      return daemonSet(part, around);
    case 'Deployment':
      return deployment(part, around);
    default:
      return onePod(part, around);
  }
}
