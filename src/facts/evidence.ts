import type { ObjectRef } from './object-ref.ts';

/** A value in the cluster that proves a finding, and that plain kubectl shows. */
export interface Evidence {
  readonly object: ObjectRef;
  /** Path of the field in the object, as kubectl explain spells it; absent for the complete object. */
  readonly field?: string;
  /** The observed value, as text. */
  readonly value: string;
  /** The values that the text joins, if it is not a single one: an exit code and a restart count. */
  readonly parts?: readonly string[];
}

/** The name of the first object of this kind in the evidence, for commands. */
export const nameIn = (evidence: readonly Evidence[], kind: string): string | undefined =>
  evidence.find(({ object }) => object.kind === kind)?.object.name;

/** `observed`: confirmed by a probe or the API server. `derived`: inferred from objects. */
export type Confidence = 'observed' | 'derived';
