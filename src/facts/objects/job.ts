import type { Condition, Metadata } from './metadata.ts';
import type { PodTemplate } from './pod.ts';

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
