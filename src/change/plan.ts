import type { ObjectRef } from '../facts/object-ref.ts';
import type { Metadata } from '../facts/objects/metadata.ts';

/** Any object as the API server sends it: complete JSON. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [member: string]: unknown;
}

/** Returns one key per object, also for steps on its single webhooks. */
export const objectKey = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

const bookkeeping: readonly string[] = [
  'resourceVersion',
  'generation',
  'managedFields',
  'uid',
  'creationTimestamp',
];

/** Returns the object without the fields that the API server sets, so that it can be created again. */
export function withoutServerFields({ status, ...object }: KubeObject): KubeObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([name]) => !bookkeeping.includes(name)),
  );
  return { ...object, metadata: metadata as unknown as Metadata } as KubeObject;
}

/**
 * `patch`: one field. `scale`: spec.replicas through the scale subresource. `restart`: the annotation that
 * `kubectl rollout restart` writes. `delete` and `create`: whole objects.
 */
export type ChangeOperation = 'patch' | 'scale' | 'restart' | 'delete' | 'create';

/** The objects that a remedy may change, and how. This determines its permissions. */
export interface Touch {
  readonly operation: ChangeOperation;
  readonly kinds: readonly string[];
  readonly subresource?: 'status';
}

/** One edit of a remedy, as data. `change/` reads the object and converts the edit to a {@link Step}. */
export interface Edit {
  readonly object: ObjectRef;
  readonly operation: ChangeOperation;
  /** JSON Pointer (RFC 6901): `/webhooks/0/failurePolicy`. Absent for whole objects. */
  readonly path?: string;
  /** The subresource through which the field is written: for `status.conditions` of a Certificate. */
  readonly subresource?: 'status';
  /** The value that the remedy expects; `undefined` means absent. Without this key, any value is accepted. */
  readonly expected?: unknown;
  /** `undefined` removes the field. For `create` the whole object. */
  readonly after?: unknown;
  /** The API server rejects it until the previous edits are in effect: it has no dry run before that. */
  readonly afterPrevious?: true;
}

/** The plan of a remedy. Pure data: `change/` shows, confirms, applies, verifies and undoes it. */
export interface Plan {
  readonly remedy: string;
  /** One sentence about the result, with values filled in. */
  readonly summary: string;
  readonly edits: readonly Edit[];
  /** Ids of the webhooks and APIServices whose next call succeeds because of the change. */
  readonly fixes: readonly string[];
  /** Warnings before the confirmation: what is not checked, who reverts it, where to make it permanent. */
  readonly warnings: readonly string[];
  /** Why it may not fix the problem, as a clause: it is offered last. */
  readonly unsure?: string;
  /** The text to type for confirmation, if yes is not sufficient. */
  readonly typed?: string;
  /** Flag without which the plan is refused, and why: `--i-accept-unchecked-admission`. */
  readonly needsFlag?: { readonly flag: string; readonly because: string };
  /** A patch for the owner's repository, as YAML; if it is present and `edits` empty, nothing is applied. */
  readonly print?: string;
}

/** An edit of the current object, with everything that diff, preconditions, journal and undo need. */
export interface Step extends Omit<Edit, 'expected'> {
  /** The previous value; `undefined` means absent. For `delete` the full object. */
  readonly before: unknown;
  readonly after: unknown;
  /** The uid of the object when `before` was read; absent for `create`. */
  readonly resourceVersion?: string;
  readonly uid?: string;
}
