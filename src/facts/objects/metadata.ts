import { newestFirst, secondsSince } from '../../basics/time.ts';
import { groupOf, isProductGroup } from '../resource.ts';

/** `metadata` of any object, as the API server sends it; only the fields that this program reads. */
export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Starts at 1 and counts changes of the spec; not every kind has it. */
  readonly generation?: number;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
}

/** An owner of an object; at most one has `controller: true` (meta/v1 types.go). */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Field managers with their fields and times (from server-side apply). */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  /** The version of the write: `apps/v1`. */
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly time?: string;
  /** FieldsV1: nested `f:name` and `k:{…}` keys. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** The field manager that the API server sets for a client without a name (managedfields). */
export const nameless = 'unknown';

/** `status.conditions[]` as most kinds have it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The entries of `metadata.managedFields`, the last write first. */
export const lastWritersFirst = (entries: readonly ManagedFields[]): ManagedFields[] =>
  newestFirst(entries, ({ time }) => time);

/** Seconds after the creation of an object in which the rest of its installation may still follow. */
const installationSeconds = 120;

/** The age of an object in seconds, if the rest of its installation may still follow; otherwise undefined. */
export function ageIfRecent(
  { creationTimestamp }: { readonly creationTimestamp?: string },
  now: string,
): number | undefined {
  const age = secondsSince(creationTimestamp, now);
  // Clocks can differ.
  return age !== undefined && age < installationSeconds ? Math.max(age, 0) : undefined;
}

/** True unless the other object is known to be older. */
export const isNoOlder = (other: Metadata, { creationTimestamp }: Metadata): boolean =>
  (secondsSince(creationTimestamp, other.creationTimestamp ?? '') ?? 0) >= 0;

/** The step of a path in `managedFields` to the item of a list with this name. */
export const keyOfItem = (name: string): string => `k:${JSON.stringify({ name })}`;

/**
 * True if a field of the object has a manager, by its path in `managedFields`: `f:spec`, `f:containers`. The API server
 * records managers before it calls mutating webhooks (apiserver pkg/endpoints/handlers create.go, update.go, patch.go),
 * so fields that these add have none.
 */
export const isManaged = (
  { managedFields = [] }: Pick<Metadata, 'managedFields'>,
  path: readonly string[],
): boolean =>
  managedFields.some(({ fieldsV1 }) => {
    let at: unknown = fieldsV1;
    for (const step of path) at = (at as Readonly<Record<string, unknown>> | undefined)?.[step];
    return at !== undefined;
  });

/**
 * The owner whose controller can recreate the object. An owner of a built-in kind (Kyverno uses a
 * ClusterRole, Knative a Namespace) only causes garbage collection of the object: its controllers restore no
 * such objects.
 */
export const restoringOwner = ({ ownerReferences }: Metadata): OwnerReference | undefined =>
  ownerReferences?.find(({ apiVersion }) => isProductGroup(groupOf(apiVersion)));
