import { groupBy } from '../../basics/collections.ts';
import { secondsSince } from '../../basics/time.ts';
import type { Callout } from '../callout.ts';
import { keyOf, type ObjectRef, refOf } from '../object-ref.ts';
import { type Labels, selectsPod, serviceSelects } from '../objects/label-selector.ts';
import { lastWritersFirst, type Metadata, type OwnerReference } from '../objects/metadata.ts';
import type { Pod } from '../objects/pod.ts';
import type { Service, ServicePort } from '../objects/service.ts';
import type { Workload } from '../objects/workload.ts';
import { groupOf } from '../resource.ts';
import type { Facts } from '../snapshot.ts';

/** `a=b,c=d`, as `kubectl -l` accepts it. */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** The owner that manages the object (meta/v1 GetControllerOf); undefined if there is none. */
export const controllerOf = ({ ownerReferences }: Metadata): OwnerReference | undefined =>
  ownerReferences?.find(({ controller }) => controller === true);

/** A workload as the subject of a finding or the target of a change. */
export const refOfWorkload = ({ kind, metadata }: Workload): ObjectRef => refOf(kind, metadata);

/** A Pod as the subject of a finding or the target of a change. */
export const refOfPod = ({ metadata }: Pod): ObjectRef => refOf('Pod', metadata);

/** Desired Pods; for a DaemonSet the number of eligible nodes. */
export const wantedPods = ({ kind, spec, status }: Workload): number =>
  kind === 'DaemonSet' ? (status.desiredNumberScheduled ?? 1) : (spec.replicas ?? 1);

/** Seconds within which a controller processes a change, even if it has much to do. */
const processedWithin = 60;

/**
 * RFC 3339: the last change of a workload without Pods that its controller has not processed. Undefined if it has,
 * or if the change is recent, or a deletion: that increases the generation, and controllers ignore it.
 */
export function unprocessedSince(
  { metadata, status }: Pick<Workload, 'metadata' | 'status'>,
  takenAt: string,
): string | undefined {
  const { generation = 0, creationTimestamp, deletionTimestamp, managedFields = [] } = metadata;
  const { observedGeneration = 0, replicas = 0, desiredNumberScheduled = 0 } = status;
  if (
    deletionTimestamp !== undefined ||
    observedGeneration >= generation ||
    replicas + desiredNumberScheduled > 0
  )
    return undefined;
  const change = lastWritersFirst(managedFields).find(({ subresource }) => subresource !== 'status');
  const since = change?.time ?? creationTimestamp;
  return (secondsSince(since, takenAt) ?? 0) > processedWithin ? since : undefined;
}

/**
 * True for a top-level workload: all but ReplicaSets of Deployments. ReplicaSets of other controllers (Argo
 * Rollouts has its own) count, because their owner is not read.
 */
export const isOwnWorkload = ({ metadata }: Workload): boolean =>
  controllerOf(metadata)?.kind !== 'Deployment';

/** The revision of a Deployment or of its ReplicaSet; 0 until the controller has set it. */
export const revisionOf = ({ metadata }: Workload): number =>
  Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);

/** The Services of a namespace that select Pods with these labels. */
export const servicesSelecting = (
  labels: Labels | undefined,
  namespace: string | undefined,
  { services }: Pick<Facts, 'services'>,
): readonly Service[] => services.all().filter((service) => selectsPod(service, { namespace, labels }));

/** Workloads whose Pods have the labels of the selector. */
export const workloadsMaking = (
  selector: Labels | undefined,
  workloads: readonly Workload[],
): readonly Workload[] =>
  workloads.filter(
    (workload) =>
      isOwnWorkload(workload) && serviceSelects(selector, workload.spec.template.metadata?.labels),
  );

const rolledOut: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/**
 * The workload of a Pod by its controller's name: that of a Deployment's ReplicaSet is the Deployment's name
 * and the Pod's template hash. A Pod without a controller is its own workload.
 */
export function workloadOfPod({ metadata }: Pod): { readonly kind: string; readonly name: string } {
  const owner = controllerOf(metadata);
  if (owner === undefined) return { kind: 'Pod', name: metadata.name };
  const hash = metadata.labels?.['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`)) {
    return { kind: 'Deployment', name: owner.name.slice(0, -hash.length - 1) };
  }
  const group = groupOf(owner.apiVersion ?? 'apps/v1');
  const isOther = rolledOut.has(owner.kind) && group !== 'apps';
  return { kind: isOther ? `${owner.kind}.${group}` : owner.kind, name: owner.name };
}

/** Letters and digits of generated names (apimachinery util/rand), as a template hash and a suffix. */
const deploymentPod =
  /^(?<deployment>.+)-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/**
 * The Deployment of Pods of which only the names are known, such as those in EndpointSlices. Undefined if a name is
 * not that of a Pod of a Deployment, or their Deployments differ.
 */
export function deploymentOfPodNames(names: readonly string[]): string | undefined {
  const found = new Set(names.map((name) => deploymentPod.exec(name)?.groups?.deployment));
  const [only, ...others] = found;
  return others.length === 0 ? only : undefined;
}

/** The common part of the names of a workload's Pods: without template hash and suffix, or without ordinal. */
export const podNameStem = (podName: string): string =>
  deploymentOfPodNames([podName]) ?? podName.replace(/-(?:[a-z0-9]{5}|\d+)$/, '');

/** `deployment/policy`, as `kubectl rollout` and `kubectl scale` accept it; undefined for other kinds. */
export const workloadArgument = ({
  kind,
  name,
}: {
  readonly kind: string;
  readonly name: string;
}): string | undefined => (rolledOut.has(kind) ? `${kind.toLowerCase()}/${name}` : undefined);

/** Names for commands about a workload that is not the callout's own. */
export const affectedNames = (
  ref: { readonly kind: string; readonly namespace?: string | undefined; readonly name: string } | undefined,
) => ({
  place: ref?.namespace,
  affected: ref && workloadArgument(ref),
});

/** Pods by their workload: `Deployment policy`. */
export const byWorkload = (pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> =>
  groupBy(pods, (pod) => {
    const { kind, name } = workloadOfPod(pod);
    return `${kind} ${name}`;
  });

const createdAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
const ownerId = (pod: Pod): string => controllerOf(pod.metadata)?.uid ?? pod.metadata.name;

/**
 * The Pods of the newest ReplicaSet of every Deployment: the one with the youngest Pod. Pods of other
 * workloads do not show their revision, so all of them count.
 */
export function newestRevision(pods: readonly Pod[]): readonly Pod[] {
  return [...byWorkload(pods).values()].flatMap((siblings) => {
    const youngest = siblings.reduce((a, b) => (createdAt(b) > createdAt(a) ? b : a));
    if (controllerOf(youngest.metadata)?.kind !== 'ReplicaSet') return siblings;
    return siblings.filter((pod) => ownerId(pod) === ownerId(youngest));
  });
}

const stem = (name: string): string => name.split('-')[0] ?? name;

/** Pods in the backend's namespace that can be of its operator: of its workload, or named like it. */
export function writerPods(
  { client: { service }, configuration }: Callout,
  { pods, namespacePods }: Pick<Facts, 'pods' | 'namespacePods'>,
): readonly Pod[] {
  const own = new Set((service && pods.getIfKnown(keyOf(service)))?.map(({ metadata }) => metadata.name));
  const stems = [configuration, service?.name ?? ''].map(stem);
  return (namespacePods.getIfKnown(service?.namespace ?? '') ?? []).filter(
    (pod) => own.has(pod.metadata.name) || stems.includes(stem(workloadOfPod(pod).name)),
  );
}

/** The container port of the template that is the target of the Service port, by number or name; undefined if none is. */
export const declaredTarget = ({ spec }: Workload, { targetPort, port }: ServicePort): number | undefined =>
  [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers]
    .flatMap(({ ports }) => ports ?? [])
    .find(({ containerPort, name }) => containerPort === (targetPort ?? port) || name === targetPort)
    ?.containerPort;
