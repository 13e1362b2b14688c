import type { CauseKind, Symptom } from './cause-kind.ts';

/** One family of last words. Named groups of `pattern` become fields of the cause. */
export interface CausePattern {
  readonly kind: CauseKind;
  readonly pattern: RegExp;
  readonly symptom: Symptom;
}

/** One row of the tables of causes. */
export const ends = (kind: CauseKind, pattern: RegExp, symptom: Symptom = kind): CausePattern => ({
  kind,
  pattern,
  symptom,
});
