import type { CauseKind } from './cause-kind.ts';

/** One family of last words. Named groups of `pattern` become fields of the cause. */
export interface CausePattern {
  readonly kind: CauseKind;
  readonly pattern: RegExp;
  /** Ids of checks that may explain it, likeliest first. */
  readonly candidates: readonly string[];
}

/** One row of the tables of causes. */
export const ends = (kind: CauseKind, pattern: RegExp, candidates: readonly string[] = []): CausePattern => ({
  kind,
  pattern,
  candidates,
});

/** The checks that explain a Service without an address to call. */
export const noEndpoint = [
  'no-ready-endpoint',
  'selector-matches-no-pod',
  'workload-scaled-to-zero',
  'workload-cannot-create-pods',
  'target-port-name-missing',
  'endpoints-only-terminating',
] as const;
