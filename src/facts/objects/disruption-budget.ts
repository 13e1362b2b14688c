import type { LabelSelector, Metadata } from './metadata.ts';

/** policy/v1 PodDisruptionBudget. */
export interface DisruptionBudget {
  readonly metadata: Metadata;
  readonly spec: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
  };
}
