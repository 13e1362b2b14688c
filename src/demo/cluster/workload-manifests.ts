import { ofKey } from '../../facts/object-ref.ts';
import type { ManagedFields } from '../../facts/objects/metadata.ts';
import type { Container, PodSpec, Volume } from '../../facts/objects/pod.ts';
import type { WorkloadKind } from '../../facts/objects/workload.ts';
import type { ApiObject } from '../api-server/object-store.ts';
import type { PodBehaviour } from './behaviour.ts';
import type { MetadataOver } from './manifests.ts';

/** A workload as written by a user, with the behaviour of its Pods. */
export interface WorkloadPart {
  readonly manifest: ApiObject;
  /** By ordinal; the last one applies to all further Pods. */
  readonly pods: readonly PodBehaviour[];
  /** Pods of the previous revision that still exist during a rollout. */
  readonly previous: readonly PodBehaviour[];
  /** The API server's error for the creation of its Pods, if no object here causes it. */
  readonly refused?: string;
}

/** An object or workload of a scenario. */
export type ClusterPart = ApiObject | WorkloadPart;
/** True for a workload, whose Pods the demo runs. */
export const isWorkloadPart = (part: ClusterPart): part is WorkloadPart => 'manifest' in part;

/** The differences from the default workload; `pods`, `previous`, `refused`: {@link WorkloadPart}. */
export interface WorkloadOver {
  readonly replicas?: number;
  /** Labels of the Pods in addition to `app: name`, which they may override. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly metadata?: MetadataOver;
  readonly pods?: readonly PodBehaviour[];
  readonly previous?: readonly PodBehaviour[];
  readonly refused?: string;
}

/** A workload whose container mounts a volume with its serving certificate. */
export const mounting = (
  source: Omit<Volume, 'name'>,
  over: Pick<WorkloadOver, 'pods'> = {},
  mountPath = '/certificate',
): WorkloadOver => ({
  container: { volumeMounts: [{ name: 'certificate', mountPath }] },
  spec: { volumes: [{ name: 'certificate', ...source }] },
  ...over,
});

const image = 'registry.example.com/webhook:1.4.2';

function workload(kind: WorkloadKind, key: string, over: WorkloadOver): WorkloadPart {
  const at = ofKey(key);
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

/** The Deployment `namespace/name`; defaults: two ready Pods with `app: name` and container port 8443. */
export const deployment = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('Deployment', key, over);
/** The StatefulSet `namespace/name`, with the defaults of {@link deployment}. */
export const statefulSet = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('StatefulSet', key, over);
/** The DaemonSet `namespace/name`, with the defaults of {@link deployment}: a Pod on each eligible node. */
export const daemonSet = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('DaemonSet', key, over);

/** A Pod without a controller: `app: name`, container port 8443. */
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

/** A Job with one completed Pod. Its Pod has `app: name` and the given labels. */
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

/** managedFields of a workload that was scaled by `kubectl scale`, an autoscaler or another client. */
export const scaledBy = (manager: string, when: string): readonly ManagedFields[] => [
  {
    manager,
    operation: 'Update',
    subresource: 'scale',
    time: when,
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  },
];
