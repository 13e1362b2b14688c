import type { LabelSelector } from './label-selector.ts';
import type { Condition, Metadata } from './metadata.ts';
import type { PodTemplate } from './pod.ts';

/** The kinds of the group apps that create Pods. */
export type WorkloadKind = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet';

/** How old Pods are replaced by new ones. */
interface RolloutStrategy {
  /** `Recreate`, `RollingUpdate`, `OnDelete`. */
  readonly type?: string;
  readonly rollingUpdate?: {
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
  } | null;
}

/** How a StatefulSet or DaemonSet replaces its Pods. */
interface UpdateStrategy {
  /** `RollingUpdate`, `OnDelete`. */
  readonly type?: string;
  /** `partition` of a StatefulSet: Pods with a lower ordinal keep the earlier template. */
  readonly rollingUpdate?: { readonly partition?: number } | null;
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
    /** Deployment only: seconds for which a Pod must be ready before it is available. */
    readonly minReadySeconds?: number;
    /** Deployment only. */
    readonly strategy?: RolloutStrategy;
    /** StatefulSet and DaemonSet. */
    readonly updateStrategy?: UpdateStrategy;
    /** StatefulSet only: `OrderedReady` by default. */
    readonly podManagementPolicy?: string;
  };
  readonly status: {
    /** `metadata.generation` of the state that the controller has processed. */
    readonly observedGeneration?: number;
    readonly replicas?: number;
    /** The Pods with the current template; of a Deployment or StatefulSet. */
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    /** StatefulSet only: the revisions of its earlier and its current template; the same after a rollout. */
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    /** DaemonSet only. */
    readonly desiredNumberScheduled?: number;
    readonly numberReady?: number;
    readonly currentNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly conditions?: readonly Condition[];
  };
}
