import type { Condition, LabelSelector, Metadata } from './metadata.ts';
import type { PodTemplate } from './pod.ts';

export type WorkloadKind = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet';

/** How old Pods make way for new ones. */
export interface RolloutStrategy {
  /** `Recreate`, `RollingUpdate`, `OnDelete`. */
  readonly type?: string;
  readonly rollingUpdate?: {
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
  } | null;
}

/** apps/v1 Deployment, ReplicaSet, StatefulSet or DaemonSet: something that makes Pods from a template. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly metadata: Metadata;
  readonly spec: {
    /** Wanted Pods; 1 when absent. A DaemonSet has none: nodes decide. */
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
