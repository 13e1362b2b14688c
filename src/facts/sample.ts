import type { ObjectRef } from './object-ref.ts';
import type { CalloutProbes, DryRun } from './probes.ts';

/** Where a sample comes from: `-f`, or the cluster. */
export type SampleSource = 'given' | 'stored';

/** A real object that a webhook was called with, beside the test object, in a dry run of its own. */
export interface SampledObject {
  readonly object: ObjectRef;
  readonly by: SampleSource;
  readonly operation: 'CREATE' | 'UPDATE';
  /** It was created while the webhook configuration existed: it has been admitted once. */
  readonly admitted: boolean;
  /** The responses of the replicas; absent if the webhook is not called with it. */
  readonly probes?: CalloutProbes;
  /** Why no replica was called with it: the field of the webhook that does not match, or another reason. */
  readonly notAsked?: string;
  /** The API server's own dry run, through all webhooks; only of objects that were given. */
  readonly dryRun?: DryRun;
}

/** The object in its namespace, which is `namespace` where it names none. */
export const inNamespace = (object: GivenObject, namespaced: boolean, namespace: string): GivenObject =>
  namespaced ? { ...object, metadata: { namespace, ...object.metadata } } : object;

/** An object of `-f`: JSON, with its file and line. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string; readonly namespace?: string };
}
