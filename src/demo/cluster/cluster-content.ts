import { selects, serviceSelects } from '../../facts/label-selector.ts';
import type { Pod, PodSpec } from '../../facts/objects/pod.ts';
import { type ApiObject, fieldOf } from '../api-server/api-object.ts';
import { uidOf } from '../api-server/object-store.ts';
import type { DemoClusterContent } from '../api-server/server.ts';
import type { Process, RunningProcess } from '../network/pod-network.ts';
import { ago, settleTimes } from './ago.ts';
import { baseObjects, localApiService } from './base-objects.ts';
import { withDefaults } from './defaults.ts';
import { makeEndpointSlices } from './endpoint-slice-controller.ts';
import type { Around } from './make-pod.ts';
import type { Surroundings } from './pod-status.ts';
import { admissionRefusal } from './refusal.ts';
import { runWorkload } from './workload-controllers.ts';
import { type ClusterPart, isWorkloadPart } from './workload-manifests.ts';

const isNodeReady = (node: ApiObject): boolean =>
  ((fieldOf(node, 'status.conditions') ?? []) as readonly { type: string; status: string }[]).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

/** Addresses of the documentation range, in the order in which Pods ask for them. */
function addressPool(): () => string {
  let next = 10;
  return () => `198.51.100.${next++}`;
}

function around(objects: readonly ApiObject[]): Around {
  const nodes = objects.filter(({ kind }) => kind === 'Node');
  const takeAddress = addressPool();
  const has = (kind: string, namespace: string, name: string): boolean =>
    objects.some(
      (object) =>
        object.kind === kind && object.metadata.namespace === namespace && object.metadata.name === name,
    );
  const fitting = ({ nodeSelector }: PodSpec): readonly ApiObject[] =>
    nodes.filter((node) =>
      nodeSelector === undefined
        ? isNodeReady(node)
        : selects({ matchLabels: nodeSelector }, node.metadata.labels ?? {}),
    );
  const nodeFor = (spec: PodSpec, ordinal: number): Surroundings['node'] => {
    if (spec.schedulerName !== undefined && spec.schedulerName !== 'default-scheduler') return undefined;
    const candidates = fitting(spec);
    const chosen = candidates[ordinal % candidates.length];
    if (chosen === undefined) return undefined;
    const address = `192.0.2.${11 + nodes.indexOf(chosen)}`;
    return { name: chosen.metadata.name, address, ready: isNodeReady(chosen) };
  };
  return {
    nodesFor: (spec) => fitting(spec).length,
    refusal: (name, namespace, spec) => admissionRefusal(name, namespace, spec, objects),
    placeOf: (_name, namespace, spec, ordinal) => ({
      node: nodeFor(spec, ordinal),
      unschedulable: `0/${nodes.length} nodes are available: ${nodes.length} node(s) didn't match Pod's node affinity/selector. preemption: 0/${nodes.length} nodes are available: ${nodes.length} Preemption is not helpful for scheduling.`,
      address: takeAddress(),
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

/** Groups and versions that CRDs add get APIServices of their own. */
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

/** Where a process listens, and for whom: for every Service that selects its Pod. */
function listening(pod: Pod, process: Process, services: readonly ApiObject[]): RunningProcess {
  const { namespace = '', labels = {} } = pod.metadata;
  const selecting = services.filter(({ metadata, spec }) => {
    const { selector } = spec as { readonly selector?: Readonly<Record<string, string>> };
    return metadata.namespace === namespace && serviceSelects(selector, labels);
  });
  return {
    ...process,
    names: selecting.map(({ metadata }) => `${metadata.name}.${namespace}.svc`),
    ports: pod.spec.containers
      .flatMap(({ ports }) => ports ?? [])
      .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
      .map(({ containerPort }) => containerPort),
  };
}

/**
 * A whole cluster from what people wrote: the API server's defaults, then what controllers, scheduler and kubelets
 * make of it. The same parts give the same cluster, but for its times, which count back from `now`.
 */
export function clusterContent(parts: readonly ClusterPart[], now: Date): DemoClusterContent {
  const written = [...baseObjects, ...parts.flatMap((part) => (isWorkloadPart(part) ? [] : [part]))];
  const cluster = around(written);
  const made = parts.filter(isWorkloadPart).map((part) => {
    const manifest = named(part.manifest);
    return runWorkload({ ...part, manifest }, cluster);
  });
  const processes = new Map(made.flatMap((one) => [...one.processes]));
  const objects = [
    ...written.map(withDefaults),
    ...registeredFor(written),
    ...made.flatMap((one) => one.objects),
  ].map(named);
  const pods = objects.filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[];
  const services = objects.filter(({ kind }) => kind === 'Service');
  const slices = services.flatMap((service) => makeEndpointSlices(service, pods)).map(named);
  return {
    objects: settleTimes([...objects, ...slices], now),
    logs: new Map(made.flatMap(({ logs }) => [...logs])),
    processes: new Map(
      pods.flatMap((pod): [string, RunningProcess][] => {
        const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
        const process = processes.get(key);
        return process === undefined ? [] : [[key, listening(pod, process, services)]];
      }),
    ),
    now,
  };
}
