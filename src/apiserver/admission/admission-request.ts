import type { Labels } from '../../facts/objects/label-selector.ts';

/** The operation of an AdmissionReview, as rules name it (admission/v1 types.go). */
export const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const;
export type Operation = (typeof operations)[number];

/**
 * One request as admission sees it. PATCH is UPDATE (or CREATE when it creates); exec, attach, port-forward
 * and proxy are CONNECT; an eviction is CREATE of pods/eviction; a binding CREATE of pods/binding.
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
  /** Label keys that the object will have, with unknown values. */
  readonly unknownLabels?: readonly string[];
  /** The object may have more labels than these, and, for matchConditions, more of other metadata. */
  readonly moreLabels?: boolean;
  /** Name of the object; absent if not known. As the fields below, for matchConditions and errors only. */
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly user?: RequestUser;
  /** Results of the authorizer for that user, by key of the check; absent if not checked. */
  readonly allowed?: Readonly<Record<string, boolean>>;
  /** Possible users, if the user is not known. */
  readonly oneOf?: readonly RequestUser[];
  /** The complete new object after defaulting, as JSON. */
  readonly object?: object;
  /** The complete stored object, as JSON. */
  readonly oldObject?: object;
  /** Fields that the new object certainly has; it may have more: JSON. */
  readonly objectPart?: object;
}

/** The client of a request, as the API server has authenticated it. */
export interface RequestUser {
  readonly username: string;
  readonly groups: readonly string[];
  /** Empty if the user has none; absent if not known. */
  readonly uid?: string;
  /** Empty if the user has none; absent if not known. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
