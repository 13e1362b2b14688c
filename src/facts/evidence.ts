import type { ObjectRef } from './object-ref.ts';

/** A value in the cluster that proves a finding, and that plain kubectl shows. */
export interface Evidence {
  readonly object: ObjectRef;
  /** Path of the field in the object, as kubectl explain spells it; absent when the whole object is meant. */
  readonly field?: string;
  /** The value seen there, as text. */
  readonly value: string;
}

/** The first object of this kind that is shown: any of several will do for a command. */
export const nameIn = (evidence: readonly Evidence[], kind: string): string | undefined =>
  evidence.find(({ object }) => object.kind === kind)?.object.name;

/** `observed`: confirmed by a probe or the API server. `derived`: inferred from objects. */
export type Confidence = 'observed' | 'derived';
