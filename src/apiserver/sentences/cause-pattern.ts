import type { CallEnd, CauseKind } from './cause-kind.ts';

/** One family of last words. Named groups of `pattern` become fields of the cause. */
export interface CausePattern {
  readonly kind: CauseKind;
  readonly pattern: RegExp;
  readonly end: CallEnd;
}

/** One row of the tables of causes. */
export const ends = (kind: CauseKind, pattern: RegExp, end: CallEnd = kind): CausePattern => ({
  kind,
  pattern,
  end,
});
