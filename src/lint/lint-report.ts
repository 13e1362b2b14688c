import type { FindingReport } from '../diagnose/report.ts';
import type { ClusterInfo } from '../facts/snapshot.ts';
import type { NotLookedAt } from '../facts/unread.ts';

/** What is wrong with a manifest, and where. */
export interface LintFinding extends FindingReport {
  /** As it was given; `-` for standard input. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Of the documentation, where it is no check's. */
  readonly page?: string;
  /** Path of the field, where one is at fault. */
  readonly field?: string;
}

/** Manifests before they are applied: the document that `-o json` prints. */
export interface LintReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'LintReport';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly summary: {
    readonly files: number;
    readonly objects: number;
    /** Webhooks, conversion webhooks and APIServices among them. */
    readonly callouts: number;
    readonly findings: Readonly<Record<FindingReport['severity'], number>>;
  };
  readonly findings: readonly LintFinding[];
  /** To which they would be applied; absent: any. */
  readonly cluster?: ClusterInfo;
  /** Of that cluster, and checks that did not run. */
  readonly notLookedAt?: readonly NotLookedAt[];
}
