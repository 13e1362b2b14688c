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
  readonly subresource?: string;
  readonly time?: string;
  /** FieldsV1: nested `f:name` and `k:{…}` keys. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** `status.conditions[]` as most kinds have it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** One of `matchExpressions` (meta/v1 types.go). */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** `metadata.labels` of an object, or of a Pod template. */
export type Labels = Readonly<Record<string, string>>;

/** All requirements must match (meta/v1 types.go); an empty selector matches every object. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}
