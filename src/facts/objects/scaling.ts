import type { LabelSelector } from './label-selector.ts';
import type { Metadata } from './metadata.ts';

/** autoscaling/v2 HorizontalPodAutoscaler. */
export interface Autoscaler {
  readonly metadata: Metadata;
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    /** 1 when absent. */
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly metrics?: readonly { readonly type: string }[] | null;
  };
  readonly status?: {
    readonly conditions?:
      | readonly { readonly type: string; readonly status: string; readonly message?: string }[]
      | null;
  };
}

/** policy/v1 PodDisruptionBudget. */
export interface DisruptionBudget {
  readonly metadata: Metadata;
  readonly spec: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
  };
}
