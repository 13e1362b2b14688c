import type { Condition, Metadata } from './metadata.ts';
import type { PodTemplate } from './pod.ts';

/** Kinds whose controllers create Pods, and report FailedCreate in an Event if the API server rejects one. */
export const podControllerKinds = ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'] as const;

/** A Deployment creates Pods through its ReplicaSets. */
export type PodControllerKind = (typeof podControllerKinds)[number] | 'Deployment';

/** A Deployment, ReplicaSet, StatefulSet, DaemonSet or Job, with the number of Pods that it needs and has. */
export interface PodController {
  readonly kind: PodControllerKind;
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas?: number;
    /** Job only. */
    readonly parallelism?: number;
    readonly completions?: number;
    readonly suspend?: boolean;
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly replicas?: number;
    /** DaemonSet only. */
    readonly desiredNumberScheduled?: number;
    readonly currentNumberScheduled?: number;
    /** Job only: active Pods, and those that succeeded. */
    readonly active?: number;
    readonly succeeded?: number;
    readonly conditions?: readonly Condition[];
  };
}

const isOver = ({ status }: PodController): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );

/** The number of active Pods that a Job should have (pkg/controller/job manageJob). */
function wantedByJob({ spec, status }: PodController): number {
  const { parallelism = 1, completions, suspend = false } = spec;
  if (suspend) return 0;
  return completions === undefined
    ? parallelism
    : Math.min(parallelism, Math.max(completions - (status?.succeeded ?? 0), 0));
}

/** Pods that should exist and do not. */
export function missingPods(maker: PodController): number {
  const { kind, metadata, spec, status } = maker;
  if (metadata.deletionTimestamp !== undefined) return 0;
  switch (kind) {
    case 'DaemonSet':
      return Math.max((status?.desiredNumberScheduled ?? 0) - (status?.currentNumberScheduled ?? 0), 0);
    case 'Job':
      return isOver(maker) ? 0 : Math.max(wantedByJob(maker) - (status?.active ?? 0), 0);
    default:
      return Math.max((spec.replicas ?? 1) - (status?.replicas ?? 0), 0);
  }
}

/** batch/v1 Job. */
export interface Job {
  readonly metadata: Metadata;
  readonly spec: { readonly suspend?: boolean; readonly template: PodTemplate };
  readonly status?: {
    readonly active?: number;
    readonly failed?: number;
    readonly succeeded?: number;
    /** RFC 3339; absent until it has succeeded. */
    readonly completionTime?: string;
    readonly conditions?: readonly Condition[];
  };
}
