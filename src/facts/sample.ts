import type { ObjectRef } from './object-ref.ts';
import type { CalloutProbes, DryRun } from './probes.ts';

/** The source of a sample: `-f`, the cluster, or a test object of another kind or for another operation. */
export type SampleSource = 'given' | 'stored' | 'made-up';

/** The part of a test object: the mirror Pod of a static Pod; a ReplicaSet of a Deployment, and that Deployment. */
export type SampleRole = 'mirror-pod' | 'owned-replicaset' | 'owner-of-replicaset';

/** An object that a webhook was called with in a separate dry run, besides the test object. */
export interface SampledObject {
  readonly object: ObjectRef;
  readonly by: SampleSource;
  /** `CONVERT`: from the storage version to `desired`. */
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONVERT';
  /** The name of a served version of the CRD. */
  readonly desired?: string;
  readonly role?: SampleRole;
  /** The size of a large test object in KiB. */
  readonly kibibytes?: number;
  /** It was created while the webhook configuration existed: it was admitted once. */
  readonly admitted: boolean;
  /**
   * For a heartbeat that should be written every 10 s: its last write, RFC 3339. Set only if all heartbeats of this kind
   * are overdue.
   */
  readonly overdueSince?: string;
  /** Its finalizers, if it is being deleted. Updates remove them. */
  readonly finalizers?: readonly string[];
  /** The responses of the replicas; absent if the webhook is not called with it. */
  readonly probes?: CalloutProbes;
  /** Why no replica was called with it: the field of the webhook that does not match, or another reason. */
  readonly notAsked?: string;
  /** The API server's dry run, through all webhooks; only for objects of `-f`, and for those that are being deleted. */
  readonly dryRun?: DryRun;
}

/** Sets the namespace of an object, unless it has one or is cluster-scoped. */
export const inNamespace = (object: GivenObject, namespaced: boolean, namespace: string): GivenObject =>
  namespaced ? { ...object, metadata: { namespace, ...object.metadata } } : object;

/** An object of `-f`: JSON, with its file and line. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string; readonly namespace?: string };
}
