import type { FindingReport } from '../diagnose/report.ts';
import type { ClusterInfo } from '../facts/snapshot.ts';
import type { NotLookedAt } from '../facts/unread.ts';

/** A problem in a manifest, and its location. */
export interface LintFinding extends FindingReport {
  /** The file as given; `-` for standard input. */
  readonly file: string;
  /** Line number, starting at 1. */
  readonly line: number;
  /** Page of the documentation, if the finding is not from a check. */
  readonly page?: string;
  /** Path of the field, if the finding is about one. */
  readonly field?: string;
}

/** Findings in manifests before they are applied: the document that `-o json` prints. */
export interface LintReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'LintReport';
  /** RFC 3339. */
  readonly takenAt: string;
  readonly summary: {
    readonly files: number;
    readonly objects: number;
    /** Number of webhooks, conversion webhooks and APIServices in them. */
    readonly callouts: number;
    readonly findings: Readonly<Record<FindingReport['severity'], number>>;
  };
  readonly findings: readonly LintFinding[];
  /** The cluster to which they would be applied; absent: any. */
  readonly cluster?: ClusterInfo;
  /** Parts of that cluster that could not be read, and checks that did not run. */
  readonly notLookedAt?: readonly NotLookedAt[];
}
