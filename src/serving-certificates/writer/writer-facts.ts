import type { Evidence } from '../../facts/evidence.ts';
import type { Forbidden } from '../../facts/rbac-denial.ts';
import type { World } from '../../facts/snapshot.ts';
import { injectionFacts } from '../broken-injection.ts';

/** The facts that show which controller should have written a certificate or a caBundle, and why not. */
export const writerFacts = [...injectionFacts, 'jobs', 'podConfigMaps', 'rbacDenials', 'workloads'] as const;
export type WriterFacts = World<(typeof writerFacts)[number]>;

/** Why the CA is not in the caBundle, or the certificate not in its Secret. */
export interface WriterProblem {
  readonly why:
    | 'jobFailed'
    | 'jobWaits'
    | 'jobRefused'
    | 'jobDenied'
    | 'jobImage'
    | 'jobPull'
    | 'jobRunsAsRoot'
    | 'jobAccount'
    | 'jobNetwork'
    | 'jobForbidden'
    | 'jobElsewhere'
    | 'jobTooEarly'
    | 'declaredEmpty'
    | 'declaredOther'
    | 'replaced'
    | 'overwritten'
    | 'forbidden'
    | 'waitsForLease'
    | 'leftLease'
    | 'waitsForLock'
    | 'scaledToZero'
    | 'outOfMemory'
    | 'unavailable'
    | 'misnamed';
  /** The controller that should have written it, or that removed it: `Job shop/policy-patch`. */
  readonly writer: string;
  /** Absent if the reason says it all. */
  readonly detail?: string;
  readonly evidence: readonly Evidence[];
  /** The Pod that logged the error, or that prevents another one from writing. */
  readonly pod?: string;
  /** The requests that the API server forbids, the reported one first. */
  readonly forbidden?: readonly [Forbidden, ...Forbidden[]];
  /** The Lease of a Pod that does not exist. */
  readonly lease?: string;
  readonly job?: string;
  /** The ServiceAccount that does not exist. */
  readonly missing?: string | undefined;
  /** The workload that runs no Pod, or writes another object: `deployment/policy-gencert`. */
  readonly affected?: string | undefined;
  /** The writer has no Pod, or its Pod fails repeatedly: it does not only start. */
  readonly isStopped?: boolean;
}
