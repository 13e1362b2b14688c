import { isDeepStrictEqual } from 'node:util';
import { selects, selectsPod } from '../../facts/objects/label-selector.ts';
import type { Condition } from '../../facts/objects/metadata.ts';
import type { Pod, PodSpec } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import { type ApiObject, fieldOf, generationOf, objectIdentity, uidOf } from '../api-server/object-store.ts';
import type { ClusterState, DemoClusterContent } from '../api-server/server.ts';
import { certificateKind } from '../certificate/demo-certificates.ts';
import type { Process, RunningProcess } from '../network/pod-network.ts';
import { ago, settleTimes } from './ago.ts';
import { baseObjects, localApiService } from './base-objects.ts';
import { ready } from './behaviour.ts';
import { withDefaults } from './defaults.ts';
import { makeEndpointSlices } from './endpoint-slice-controller.ts';
import { generated } from './generated-name.ts';
import { type ClusterContext, isReady, manifestTemplate, type Template } from './make-pod.ts';
import { admissionRefusal, webhookRefusal } from './pod-admission.ts';
import type { PodSurroundings } from './pod-status.ts';
import { type CurrentWorkload, runWorkload } from './workload-controllers.ts';
import { type ClusterPart, isWorkloadPart, type WorkloadPart } from './workload-manifests.ts';

/** Allocates an address of a documentation range (RFC 5737) for each name, in the order of the calls. */
function addressPool(range: string, first: number): (name: string) => string {
  const given = new Map<string, string>();
  return (name) => {
    const address = given.get(name) ?? `${range}.${first + given.size}`;
    given.set(name, address);
    return address;
  };
}

/** State that controllers keep between runs. */
interface Memory {
  readonly podAddress: (pod: string) => string;
  readonly nodeAddress: (node: string) => string;
  /** The order in which objects were created, by identity. */
  readonly order: Map<string, number>;
  /** The identities of the objects that controllers created. */
  made: ReadonlySet<string>;
  /** The identities of deleted ones: no new Pod gets one of these names. */
  readonly gone: Set<string>;
  /** The creation times of objects created after the start. */
  readonly born: Map<string, Date>;
  /** Templates of workloads, oldest first. */
  readonly templates: Map<string, readonly Template[]>;
}

const podIdentity = (namespace: string, name: string): string => `/Pod/${namespace}/${name}`;

function around(
  written: readonly ApiObject[],
  before: ReadonlyMap<string, ApiObject>,
  { nodeAddress, podAddress, gone, made }: Memory,
): ClusterContext {
  const nodes = written.filter(({ kind }) => kind === 'Node');
  const has = (kind: string, namespace: string, name: string): boolean =>
    written.some(
      (object) =>
        object.kind === kind && object.metadata.namespace === namespace && object.metadata.name === name,
    );
  const fitting = ({ nodeSelector }: PodSpec): readonly ApiObject[] =>
    nodes.filter((node) =>
      nodeSelector === undefined
        ? isReady(node)
        : selects({ matchLabels: nodeSelector }, node.metadata.labels ?? {}),
    );
  for (const { metadata } of nodes) nodeAddress(metadata.name);
  const nodeFor = (spec: PodSpec, ordinal: number): PodSurroundings['node'] => {
    if (spec.schedulerName !== undefined && spec.schedulerName !== 'default-scheduler') return undefined;
    const candidates = fitting(spec);
    const chosen = candidates[ordinal % candidates.length];
    if (chosen === undefined) return undefined;
    const { name } = chosen.metadata;
    return { name, address: nodeAddress(name), ready: isReady(chosen) };
  };
  return {
    nodesFor: (spec) => fitting(spec).length,
    // Initial objects exist already: webhooks are only called for later ones.
    refusal: (name, namespace, template) =>
      admissionRefusal(name, namespace, template.spec, written) ??
      (made.size === 0 ? undefined : webhookRefusal(namespace, template, [...before.values()])),
    exists: (namespace, name) => before.has(podIdentity(namespace, name)),
    freshName(namespace, name) {
      let fresh = name;
      while (gone.has(podIdentity(namespace, fresh)) && !/-\d+$/.test(name))
        fresh = `${name.slice(0, -5)}${generated(fresh, 5)}`;
      return fresh;
    },
    placeOf: (name, namespace, spec, ordinal) => ({
      node: nodeFor(spec, ordinal),
      unschedulable: `0/${nodes.length} nodes are available: ${nodes.length} node(s) didn't match Pod's node affinity/selector. preemption: 0/${nodes.length} nodes are available: ${nodes.length} Preemption is not helpful for scheduling.`,
      address: podAddress(`${namespace}/${name}`),
      hasSecret: (secret) => has('Secret', namespace, secret),
      hasConfigMap: (configMap) => has('ConfigMap', namespace, configMap),
    }),
  };
}

const named = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: {
    creationTimestamp: ago('30d'),
    uid: uidOf(object.kind, object.metadata.namespace, object.metadata.name),
    ...object.metadata,
  },
});

/** The APIServices of the groups and versions of CRDs. */
const registeredFor = (objects: readonly ApiObject[]): readonly ApiObject[] => {
  const added = objects
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .flatMap((definition) =>
      (fieldOf(definition, 'spec.versions') as readonly { readonly name: string }[]).map(
        ({ name }) => [String(fieldOf(definition, 'spec.group')), name] as const,
      ),
    );
  return [...new Map(added.map((pair) => [pair.join('/'), pair])).values()].map(([group, version]) =>
    localApiService(group, version, 'true'),
  );
};

/** The certificate in the volumes of a Pod at the start of its process. */
function mounted(pod: Pod, names: readonly string[], objects: readonly ApiObject[], started: Date) {
  for (const { secret, configMap } of pod.spec.volumes ?? []) {
    const [kind, name] = secret ? ['Secret', secret.secretName] : ['ConfigMap', configMap?.name];
    const source = objects.find(
      (object) =>
        object.kind === kind &&
        object.metadata.name === name &&
        object.metadata.namespace === pod.metadata.namespace,
    );
    const text = (source?.data as Record<string, string> | undefined)?.['tls.crt'];
    const certificate = text && (kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text);
    const found = certificate && certificateKind(certificate, names, started);
    if (found) return { certificate: found };
  }
  return {};
}

/** The process with its ports, and the names of all Services that select its Pod. */
function listening(pod: Pod, process: Process, services: readonly ApiObject[]): RunningProcess {
  const selecting = (services as unknown as readonly Service[]).filter((service) =>
    selectsPod(service, pod.metadata),
  );
  return {
    ...process,
    names: selecting.map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc`),
    ports: pod.spec.containers
      .flatMap(({ ports }) => ports ?? [])
      .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
      .map(({ containerPort }) => containerPort),
  };
}

/** The programs of a container. A changed one works. */
const program = ({ spec: { containers, initContainers = [] } }: Template): unknown =>
  [...containers, ...initContainers].map(({ name, image, command, args, env, envFrom, resources }) =>
    JSON.stringify({ name, image, command, args, env, envFrom, resources }),
  );

const workloadKinds: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'Pod'];

/** The present state of a workload. Its Pods behave as in the scenario while its programs are the same. */
function standing(manifest: ApiObject, first: WorkloadPart | undefined, memory: Memory): CurrentWorkload {
  if (manifest.kind === 'Pod' || manifest.kind === 'Job')
    return { pods: [ready], previous: [], ...first, manifest, former: [] };
  const template = manifestTemplate(manifest);
  const key = objectIdentity(manifest);
  const known = memory.templates.get(key) ?? [];
  const former = known.filter((one) => !isDeepStrictEqual(one, template));
  memory.templates.set(key, [...former, template]);
  const original = first && manifestTemplate(withDefaults(first.manifest));
  const same = original !== undefined && isDeepStrictEqual(program(original), program(template));
  const { replicas } = manifest.spec as { readonly replicas?: number };
  const scaled = first !== undefined && replicas !== (first.manifest.spec as { replicas?: number }).replicas;
  const pods = (same && first?.pods) || [ready];
  const untouched = former.length === 0 && !scaled;
  return {
    manifest,
    pods: scaled && (replicas ?? 1) > 0 ? pods.slice(0, replicas) : pods,
    previous: (untouched && first?.previous) || [],
    ...(first?.refused !== undefined && memory.made.size === 0 ? { refused: first.refused } : {}),
    former,
  };
}

/** Keeps the lastTransitionTime of conditions whose status has not changed. */
function withTransitions(object: ApiObject, before: ApiObject, at: string): ApiObject {
  const status = object.status as { readonly conditions?: readonly Condition[] } | undefined;
  if (status?.conditions === undefined) return object;
  const old = (fieldOf(before, 'status.conditions') ?? []) as readonly Condition[];
  const conditions = status.conditions.map((condition) => {
    const last = old.find(({ type }) => type === condition.type);
    const same = last?.status === condition.status && last.lastTransitionTime !== undefined;
    return { ...condition, lastTransitionTime: same ? last.lastTransitionTime : at };
  });
  return { ...object, status: { ...status, conditions } };
}

/** Keeps the metadata that users and the store added to an object. */
function continued(next: ApiObject, before: ApiObject | undefined, at: string): ApiObject {
  const carried =
    before === undefined
      ? next
      : withTransitions(
          {
            ...next,
            metadata: {
              ...before.metadata,
              ...next.metadata,
              ...(before.metadata.annotations && {
                annotations: { ...next.metadata.annotations, ...before.metadata.annotations },
              }),
            },
          },
          before,
          at,
        );
  const status = carried.status as { readonly observedGeneration?: number } | undefined;
  return status?.observedGeneration === undefined
    ? carried
    : { ...carried, status: { ...status, observedGeneration: generationOf(carried, before) } };
}

/** A cluster: its initial objects, and the state of its controllers. */
interface Cluster {
  readonly started: Date;
  readonly workloads: ReadonlyMap<string, WorkloadPart>;
  /** The initial Leases, by identity. */
  readonly leases: ReadonlyMap<string, ApiObject>;
  /** The identities of all initial objects. */
  readonly asWritten: ReadonlySet<string>;
  readonly memory: Memory;
}

/**
 * Builds a cluster from manifests: applies the API server's defaults, then everything that controllers,
 * scheduler and kubelets derive, at the start and after each write. The same parts give the same cluster; all
 * times are relative to `started`.
 */
export function clusterContent(parts: readonly ClusterPart[], started: Date): DemoClusterContent {
  const objects = parts.map((part) => (isWorkloadPart(part) ? withDefaults(part.manifest) : part));
  const given = new Set(objects.map(objectIdentity));
  const first = [...baseObjects.filter((object) => !given.has(objectIdentity(object))), ...objects];
  const cluster: Cluster = {
    started,
    workloads: new Map(parts.filter(isWorkloadPart).map((part) => [objectIdentity(part.manifest), part])),
    leases: new Map(
      first.filter(({ kind }) => kind === 'Lease').map((lease) => [objectIdentity(lease), lease]),
    ),
    asWritten: new Set(first.map(objectIdentity)),
    memory: {
      podAddress: addressPool('198.51.100', 10),
      nodeAddress: addressPool('192.0.2', 11),
      order: new Map(first.map((object, index) => [objectIdentity(object), index])),
      made: new Set(),
      gone: new Set(),
      born: new Map(),
      templates: new Map(),
    },
  };
  const controllers = (all: readonly ApiObject[], now: Date) => runControllers(cluster, all, now);
  return { ...controllers(first, started), controllers, now: started };
}

function runControllers(cluster: Cluster, objects: readonly ApiObject[], now: Date): ClusterState {
  const { memory } = cluster;
  const before = new Map(objects.map((object) => [objectIdentity(object), object]));
  const { made, gone } = memory;
  for (const key of made) if (!before.has(key)) gone.add(key);
  const written = writtenObjects(cluster, objects, before);
  const next = derive(cluster, written, before);
  const own = new Set(written.map(objectIdentity));
  memory.made = new Set(next.objects.map(objectIdentity).filter((key) => !own.has(key)));
  for (const key of made) if (!memory.made.has(key) && key.includes('/Pod/')) gone.add(key);
  const settled = settle(cluster, next.objects, made.size === 0 ? new Map() : before, now);
  return { ...next, objects: [...settled, ...pastEvents(memory, made, before, settled)] };
}

/** The objects that controllers did not create, in the order of creation; with Leases renewed. */
function writtenObjects(
  { memory: { made, order }, leases }: Cluster,
  objects: readonly ApiObject[],
  before: ReadonlyMap<string, ApiObject>,
): readonly ApiObject[] {
  const written = objects
    .map((object) => [objectIdentity(object), object] as const)
    .filter(([key]) => !made.has(key));
  for (const [key] of written) if (!order.has(key)) order.set(key, order.size);
  return written
    .sort(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .map(([key, object]) => {
      const lease = leases.get(key);
      return lease === undefined ? object : renew(object, lease, before);
    });
}

/** All objects, processes and logs that are derived from the written objects. Times are not absolute yet. */
function derive(cluster: Cluster, written: readonly ApiObject[], before: ReadonlyMap<string, ApiObject>) {
  const { workloads, asWritten, memory } = cluster;
  const isRun = (object: ApiObject): boolean =>
    workloads.has(objectIdentity(object)) ||
    (workloadKinds.includes(object.kind) && !asWritten.has(objectIdentity(object)));
  const surroundings = around(written, before, memory);
  const made = written
    .filter(isRun)
    .map((manifest) =>
      runWorkload(standing(named(manifest), workloads.get(objectIdentity(manifest)), memory), surroundings),
    );
  const others = written.filter((object) => !isRun(object));
  const registered = registeredFor(others).filter((object) => !memory.order.has(objectIdentity(object)));
  const objects = [...others.map(withDefaults), ...registered, ...made.flatMap((one) => one.objects)].map(
    named,
  );
  const pods = objects.filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[];
  const services = objects.filter(({ kind }) => kind === 'Service');
  const slices = services.flatMap((service) => makeEndpointSlices(service, pods)).map(named);
  const processes = new Map(made.flatMap((one) => [...one.processes]));
  return {
    objects: [...objects, ...slices],
    logs: new Map(made.flatMap((one) => [...one.logs])),
    processes: new Map(pods.flatMap((pod) => running(cluster, pod, processes, objects))),
  };
}

/** The process of a Pod, with the certificate that it has mounted if it was created after the start. */
function running(
  { memory, started }: Cluster,
  pod: Pod,
  processes: ReadonlyMap<string, Process>,
  objects: readonly ApiObject[],
): readonly (readonly [string, RunningProcess])[] {
  const { namespace = '', name } = pod.metadata;
  const process = processes.get(`${namespace}/${name}`);
  if (process === undefined) return [];
  const services = objects.filter(({ kind }) => kind === 'Service');
  const listener = listening(pod, process, services);
  const isFresh = memory.born.has(podIdentity(namespace, name));
  const certificate = isFresh ? mounted(pod, listener.names, objects, started) : {};
  return [[`${namespace}/${name}`, { ...listener, ...certificate }]];
}

/**
 * The objects with absolute times, and with the metadata and conditions that they had before.
 *
 * @param before empty at the start of the cluster.
 */
function settle(
  { started, memory: { made, born } }: Cluster,
  objects: readonly ApiObject[],
  before: ReadonlyMap<string, ApiObject>,
  now: Date,
): readonly ApiObject[] {
  const starting = before.size === 0;
  const at = settleTimes(ago('0s'), { started: now, now });
  return objects.map((object) => {
    const key = objectIdentity(object);
    const old = before.get(key);
    const isNew = !starting && made.has(key) && (old === undefined || (!isReady(old) && isReady(object)));
    if (isNew && (old === undefined || object.kind === 'Pod')) born.set(key, now);
    const created = old?.metadata.creationTimestamp;
    const dated = created
      ? { ...object, metadata: { ...object.metadata, creationTimestamp: created } }
      : object;
    return continued(settleTimes(dated, { started, now, notBefore: born.get(key) }), old, at);
  });
}

/** Events that no controller repeats, about objects that still exist. */
function pastEvents(
  { made }: Memory,
  madeBefore: ReadonlySet<string>,
  before: ReadonlyMap<string, ApiObject>,
  objects: readonly ApiObject[],
): readonly ApiObject[] {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  return [...madeBefore]
    .filter((key) => key.startsWith('/Event/') && !made.has(key))
    .flatMap((key) => before.get(key) ?? [])
    .filter((event) => uids.has(fieldOf(event, 'involvedObject.uid') as string));
}

/** The Lease with a new renewTime, if the Pod that holds it exists. */
function renew(object: ApiObject, first: ApiObject, before: ReadonlyMap<string, ApiObject>): ApiObject {
  const holder = String(fieldOf(first, 'spec.holderIdentity')).replace(/_.*$/, '');
  const there = before.has(podIdentity(object.metadata.namespace ?? '', holder));
  const renewTime = fieldOf(first, 'spec.renewTime');
  return there ? { ...object, spec: { ...(object.spec as object), renewTime } } : object;
}
