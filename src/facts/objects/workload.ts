import type { Condition, LabelSelector, Metadata } from './metadata.ts';
import type { PodTemplate } from './pod.ts';

/** The kinds of the group apps that create Pods. */
export type WorkloadKind = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet';

/** How old Pods are replaced by new ones. */
export interface RolloutStrategy {
  /** `Recreate`, `RollingUpdate`, `OnDelete`. */
  readonly type?: string;
  readonly rollingUpdate?: {
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
  } | null;
}

/** apps/v1 Deployment, ReplicaSet, StatefulSet or DaemonSet: creates Pods from a template. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly metadata: Metadata;
  readonly spec: {
    /** Desired Pods; default 1. A DaemonSet has none: it depends on the nodes. */
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly paused?: boolean;
    /** Deployment only. */
    readonly strategy?: RolloutStrategy;
    /** StatefulSet and DaemonSet. */
    readonly updateStrategy?: RolloutStrategy;
  };
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly updatedReplicas?: number;
    readonly unavailableReplicas?: number;
    /** DaemonSet only. */
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly conditions?: readonly Condition[];
  };
}
