import type { CauseKind, Symptom } from './cause-kind.ts';

/** A pattern for one kind of cause. Its named groups become fields of the cause. */
export interface CausePattern {
  readonly kind: CauseKind;
  readonly pattern: RegExp;
  readonly symptom: Symptom;
}

/** Creates one entry of the tables of causes. */
export const ends = (kind: CauseKind, pattern: RegExp, symptom: Symptom = kind): CausePattern => ({
  kind,
  pattern,
  symptom,
});
