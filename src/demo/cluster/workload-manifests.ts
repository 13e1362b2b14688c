import type { ManagedFields } from '../../facts/objects/metadata.ts';
import type { Container, PodSpec } from '../../facts/objects/pod.ts';
import type { WorkloadKind } from '../../facts/objects/workload.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import type { PodBehaviour } from './behaviour.ts';
import { type MetadataOver, split } from './manifests.ts';

/** A workload as people write it, and how its Pods fare. */
export interface WorkloadPart {
  readonly manifest: ApiObject;
  /** By ordinal; the last one holds for all further Pods. */
  readonly pods: readonly PodBehaviour[];
  /** Pods of the previous revision that still exist, in a rollout. */
  readonly previous: readonly PodBehaviour[];
  /** What the API server says to whoever creates a Pod of it, where that follows from no object here. */
  readonly refused?: string;
}

/** One thing that a scenario sets up. */
export type ClusterPart = ApiObject | WorkloadPart;
export const isWorkloadPart = (part: ClusterPart): part is WorkloadPart => 'manifest' in part;

export interface WorkloadOver {
  readonly replicas?: number;
  /** Further labels of the Pods, beside `app: name`; they may replace it. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly metadata?: MetadataOver;
  readonly pods?: readonly PodBehaviour[];
  readonly previous?: readonly PodBehaviour[];
  readonly refused?: string;
}

const image = 'registry.example.com/webhook:1.4.2';

function workload(kind: WorkloadKind, key: string, over: WorkloadOver): WorkloadPart {
  const at = split(key);
  const selector = { app: at.name };
  const ports = over.container?.ports ?? [{ containerPort: 8443 }];
  const readyAt = { path: '/readyz', port: ports[0]?.containerPort ?? 8443, scheme: 'HTTPS' };
  const container: Container = {
    name: 'webhook',
    image,
    ports,
    readinessProbe: { httpGet: readyAt },
    ...over.container,
  };
  return {
    manifest: {
      apiVersion: 'apps/v1',
      kind,
      metadata: { ...at, labels: selector, ...over.metadata },
      spec: {
        ...(kind === 'DaemonSet' ? {} : { replicas: over.replicas ?? 2 }),
        ...(kind === 'StatefulSet' ? { serviceName: at.name } : {}),
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: { ...selector, ...over.labels } },
          spec: { containers: [container], ...over.spec },
        },
      },
    },
    pods: over.pods ?? [{ is: 'ready' }],
    previous: over.previous ?? [],
    ...(over.refused === undefined ? {} : { refused: over.refused }),
  };
}

/** The Deployment `namespace/name` of two ready Pods with `app: name` and a container port 8443, unless told otherwise. */
export const deployment = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('Deployment', key, over);
export const statefulSet = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('StatefulSet', key, over);
export const daemonSet = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('DaemonSet', key, over);

/** A Pod that no workload makes: `app: name`, a container port 8443. */
export function barePod(key: string, over: WorkloadOver = {}): WorkloadPart {
  const { manifest, ...part } = workload('Deployment', key, over);
  const { metadata, spec } = (manifest.spec as { template: ApiObject }).template;
  return {
    ...part,
    manifest: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...manifest.metadata, labels: metadata.labels ?? {} },
      spec,
    },
  };
}

/** A Job that has made its one Pod, which has ended. Its Pod carries `app: name` and the given labels. */
export function job(key: string, labels: Readonly<Record<string, string>> = {}): WorkloadPart {
  const { manifest, ...part } = workload('Deployment', key, {
    labels,
    container: { name: 'job', ports: [] },
    spec: { restartPolicy: 'Never' },
    pods: [{ is: 'completed' }],
  });
  const { template } = manifest.spec as { template: unknown };
  return {
    ...part,
    manifest: { apiVersion: 'batch/v1', kind: 'Job', metadata: manifest.metadata, spec: { template } },
  };
}

/** managedFields of a workload whose replicas somebody set through `kubectl scale`, an autoscaler or their own client. */
export const scaledBy = (manager: string, when: string): readonly ManagedFields[] => [
  {
    manager,
    operation: 'Update',
    subresource: 'scale',
    time: when,
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  },
];
