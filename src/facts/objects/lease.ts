import type { Metadata } from './metadata.ts';

/** coordination.k8s.io/v1 Lease: its holder, and when it was last renewed. */
export interface Lease {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** RFC 3339 with microseconds. */
    readonly renewTime?: string;
    readonly acquireTime?: string;
    readonly leaseTransitions?: number;
  };
}
