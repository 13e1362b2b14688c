import type { ObjectRef } from '../facts/object-ref.ts';

/**
 * `patch`: one field. `scale`: spec.replicas through the scale subresource. `restart`: the annotation that
 * `kubectl rollout restart` writes. `delete` and `create`: whole objects.
 */
export type ChangeOperation = 'patch' | 'scale' | 'restart' | 'delete' | 'create';

/** Objects that a remedy may change, and how: what rights follow from. */
export interface Touch {
  readonly operation: ChangeOperation;
  readonly kinds: readonly string[];
  readonly subresource?: 'status';
}

/** One edit as a remedy wants it: data, not code. `change/` reads the object anew and makes a {@link Step} of it. */
export interface Edit {
  readonly object: ObjectRef;
  readonly operation: ChangeOperation;
  /** JSON Pointer (RFC 6901): `/webhooks/0/failurePolicy`. Absent for whole objects. */
  readonly path?: string;
  /** Where the field is written through a subresource of its own: a Certificate's `status.conditions`. */
  readonly subresource?: 'status';
  /** What the remedy saw there and relies on; `undefined` means absent. A key that is missing relies on nothing. */
  readonly expected?: unknown;
  /** `undefined` removes the field. For `create` the whole object. */
  readonly after?: unknown;
  /** Refused before the edits in front of it have taken effect: tried when its turn comes, not earlier. */
  readonly inTurn?: true;
}

/** What a remedy would do about a problem. Pure data: shown, asked about, applied, verified and undone by `change/`. */
export interface Plan {
  /** Id of the remedy. */
  readonly remedy: string;
  /** One sentence, filled in: what will be different. */
  readonly summary: string;
  readonly edits: readonly Edit[];
  /** Callouts (by id) whose next call the change is meant to mend. */
  readonly mends: readonly string[];
  /** Sentences to read before the answer: what goes unchecked, who will revert it, where it would last. */
  readonly warnings: readonly string[];
  /** Nothing that was seen shows that it would help: to be tried after everything else. */
  readonly unsure?: true;
  /** What has to be typed to confirm, where a plain yes is too easy. */
  readonly typed?: string;
  /** Flag without which the plan is refused, and why: `--i-accept-unchecked-admission`. */
  readonly needsFlag?: { readonly flag: string; readonly because: string };
  /** A patch to be put into the owner's repository, as YAML; where present and `edits` is empty, nothing is applied. */
  readonly print?: string;
}

/** An edit against the object as it is now: everything that diff, guard, journal and undo need. */
export interface Step {
  readonly object: ObjectRef;
  readonly operation: ChangeOperation;
  readonly path?: string;
  readonly subresource?: 'status';
  /** The very value before; `undefined` means absent. For `delete` the whole object. */
  readonly before: unknown;
  readonly after: unknown;
  readonly inTurn?: true;
  /** Of the object when `before` was read; absent for `create`. */
  readonly resourceVersion?: string;
  readonly uid?: string;
}
