import type { Labels } from '../../facts/objects/label-selector.ts';
import type { OwnerReference } from '../../facts/objects/metadata.ts';
import type { Pod, PodSpec, PodTemplate } from '../../facts/objects/pod.ts';
import { type ApiObject, isTrue, uidOf } from '../api-server/object-store.ts';
import type { Process } from '../network/pod-network.ts';
import { ago, lately } from './ago.ts';
import { type PodBehaviour, ready } from './behaviour.ts';
import { withDefaults } from './defaults.ts';
import { generated } from './generated-name.ts';
import { demoPodState } from './pod-state.ts';
import type { DemoEvent, PodSurroundings } from './pod-status.ts';

/** The rest of the cluster, for controllers and kubelets. */
export interface ClusterContext {
  /** The node of the Pod, and what exists there. */
  placeOf(name: string, namespace: string, spec: PodSpec, ordinal: number): PodSurroundings;
  /** The API server's error for the creation of the Pod; undefined if it is admitted. */
  refusal(name: string, namespace: string, template: Template): string | undefined;
  exists(namespace: string, pod: string): boolean;
  /** The name, or another generated one if a deleted Pod had it. */
  freshName(namespace: string, name: string): string;
  /** Number of nodes on which a DaemonSet places such a Pod. */
  nodesFor(spec: PodSpec): number;
}

/** The objects that controllers create for a workload. */
export interface WorkloadObjects {
  readonly objects: readonly ApiObject[];
  /** By `namespace/pod/container`. */
  readonly logs: ReadonlyMap<string, string>;
  /** Processes by `namespace/pod`. */
  readonly processes: ReadonlyMap<string, Process>;
}

/** A result of objects without processes. */
export const justObjects = (...objects: readonly ApiObject[]): WorkloadObjects => ({
  objects,
  logs: new Map(),
  processes: new Map(),
});

/** The process in the Pod; undefined if there is none. One that has just started does not listen yet. */
function processOf(behaviour: PodBehaviour, { containerStatuses = [] }: Pod['status']): Process | undefined {
  if (!containerStatuses.some(({ state }) => state?.running !== undefined)) return undefined;
  if (behaviour.is === 'starting') return { listens: 'nowhere' };
  const declared = 'runs' in behaviour ? behaviour.runs : undefined;
  return { ready: behaviour.is !== 'not-ready', ...declared };
}

/** A Pod template with a spec, as workloads have it. */
export interface Template extends PodTemplate {
  readonly spec: PodSpec;
}
/** `spec.template` of a workload. */
export const manifestTemplate = (manifest: ApiObject): Template =>
  (manifest.spec as { template: Template }).template;
/** The labels of a template; empty if it has none. */
export const labelOf = (template: Template): Labels => template.metadata?.labels ?? {};

/** `metadata.ownerReferences` of an object that the owner controls. */
export const ownedBy = ({ apiVersion, kind, metadata }: ApiObject): readonly OwnerReference[] => [
  {
    ...{ apiVersion, kind, name: metadata.name, controller: true },
    uid: metadata.uid ?? uidOf(kind, metadata.namespace, metadata.name),
  },
];

/** An event about an object, in its namespace. */
export function eventAbout(object: ApiObject, event: DemoEvent): ApiObject {
  const { kind, apiVersion, metadata } = object;
  const { name, namespace = 'default' } = metadata;
  const { component, ...rest } = event;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace,
      name: `${name}.${generated(`${kind}/${name}/${event.reason}/${event.message}`, 16)}`,
    },
    involvedObject: { kind, apiVersion, namespace, name, uid: ownedBy(object)[0]?.uid },
    ...rest,
    firstTimestamp: ago('2h'),
    lastTimestamp: lately('1m'),
    source: { component },
    reportingComponent: component,
  };
}

function deletion(behaviour: PodBehaviour): Partial<ApiObject['metadata']> {
  if (behaviour.is === 'leaving') return { deletionTimestamp: lately('3s') };
  if (behaviour.is !== 'stuck-terminating') return {};
  const { finalizer } = behaviour;
  return { deletionTimestamp: ago('40m'), ...(finalizer === undefined ? {} : { finalizers: [finalizer] }) };
}

/** The status, events and logs of a Pod. */
export function runPod(
  made: ApiObject,
  behaviour: PodBehaviour,
  ordinal: number,
  around: ClusterContext,
): WorkloadObjects {
  const { name, namespace = 'default' } = made.metadata;
  const spec = made.spec as PodSpec;
  const place = around.placeOf(name, namespace, spec, ordinal);
  const state = demoPodState(spec, place, behaviour);
  const pod = withDefaults({
    ...made,
    metadata: {
      ...made.metadata,
      ...(behaviour.is === 'starting' ? { creationTimestamp: lately('20s') } : {}),
      ...deletion(behaviour),
    },
    spec: { ...spec, ...(place.node === undefined ? {} : { nodeName: place.node.name }) },
    status: state.status,
  });
  const logs = Object.entries(state.logs).flatMap(([container, text]): [string, string][] => [
    [`${namespace}/${name}/${container}`, text],
    [`${namespace}/${name}/${container}/previous`, text],
  ]);
  const process = processOf(behaviour, state.status);
  return {
    objects: [pod, ...state.events.map((event) => eventAbout(pod, event))],
    logs: new Map(logs),
    processes: new Map(process === undefined ? [] : [[`${namespace}/${name}`, process]]),
  };
}

/** Creates a Pod of an owner. */
export function makePod(
  { name, labels, owner }: { readonly name: string; readonly labels: Labels; readonly owner: ApiObject },
  { metadata, spec }: Template,
): ApiObject {
  const { namespace = 'default' } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name, namespace, labels, ownerReferences: ownedBy(owner), creationTimestamp: ago('2d') },
      ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
    },
    spec,
  };
}

/** The objects, logs and processes of several results. */
export const join = (made: readonly WorkloadObjects[]): WorkloadObjects => ({
  objects: made.flatMap(({ objects }) => objects),
  logs: new Map(made.flatMap(({ logs }) => [...logs])),
  processes: new Map(made.flatMap(({ processes }) => [...processes])),
});

/** The Pods of a result. */
export const podsIn = (made: WorkloadObjects): readonly ApiObject[] =>
  made.objects.filter(({ kind }) => kind === 'Pod');
/** Whether a Pod or Node is Ready. */
export const isReady = (object: unknown): boolean => isTrue(object, 'Ready');

/** Whether a controller still counts the Pod: neither completed nor terminating. */
export const isCounted = (pod: ApiObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  !['Failed', 'Succeeded'].includes((pod.status as Pod['status']).phase ?? '');

/** The behaviour of a Pod by its ordinal, from 0; the last one of the list applies to all further Pods. */
export const behaviourOf = (pods: readonly PodBehaviour[], ordinal: number): PodBehaviour =>
  pods[ordinal] ?? pods.at(-1) ?? ready;

/** Behaviours that come from the Pod, not from its program: a replacement Pod does not have them. */
export const ofOnePod: readonly PodBehaviour['is'][] = [
  'starting',
  'evicted',
  'leaving',
  'stuck-terminating',
];
