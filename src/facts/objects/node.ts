import type { Condition, Metadata } from './metadata.ts';

/** core/v1 Node. */
export interface Node {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    /** What Pods can request, by resource. */
    readonly allocatable?: Readonly<Record<string, string>>;
  };
}
