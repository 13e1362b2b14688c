import type { Labels } from '../../facts/objects/metadata.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/**
 * One request as admission sees it. PATCH is UPDATE (or CREATE when it creates); exec, attach, port-forward and proxy
 * are CONNECT; an eviction is CREATE of pods/eviction; a binding CREATE of pods/binding.
 */
export interface AdmissionRequest {
  readonly operation: Operation;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural URL name, without a subresource. */
  readonly resource: string;
  /** Absent or empty: none. */
  readonly subresource?: string;
  readonly kind?: string;
  /** Absent for cluster-scoped objects; for a Namespace its own name. */
  readonly namespace?: string;
  /** Labels of the new object (CREATE, UPDATE); none when absent. */
  readonly labels?: Labels;
  /** Labels of the stored object (UPDATE, DELETE); when absent those of the new one, or none. */
  readonly oldLabels?: Labels;
  /** Label keys that the object will have with values nobody can foresee. */
  readonly unknownLabels?: readonly string[];
  /** The object may have labels that stand nowhere here; to conditions other metadata that anyone may add as well. */
  readonly moreLabels?: boolean;
  /** Of the object; absent where nobody can foresee it. Only conditions and error texts look at what follows. */
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly user?: RequestUser;
  /** What the API server's authorizer allows that user, by the key of the check (cel/authorization-functions.ts); absent: nobody asked. */
  readonly allowed?: Readonly<Record<string, boolean>>;
  /** Whoever makes it is one of these, where nobody knows which. */
  readonly oneOf?: readonly RequestUser[];
  /** The whole new object as admission sees it, defaults and all: JSON. */
  readonly object?: object;
  /** The whole stored object. */
  readonly oldObject?: object;
  /** Fields that the new object is sure to have; others may add to them, and complete what it does not say: JSON. */
  readonly objectPart?: object;
}

export interface RequestUser {
  readonly username: string;
  readonly groups: readonly string[];
}
