import type { CauseKind } from '../apiserver/sentences/call-error/cause-kind.ts';
import type { NamedInText } from '../explain/explain.ts';
import type { ClusterFinding, ExplainedText, Explanation } from '../explain/explanation.ts';
import type { NotLookedAt } from '../facts/unread.ts';

/** A count of log entries, and their period. */
export interface Occurrences {
  readonly count: number;
  /** RFC 3339; absent if no entry had a time. */
  readonly first?: string;
  readonly last?: string;
}

/** A kind of failure of a webhook's calls. */
export interface ScannedCause extends Occurrences {
  readonly cause: CauseKind | 'unknown';
  /** An example of the error, abbreviated. */
  readonly example: string;
  readonly means: string;
  /** Ids of the checks that may be the cause, likeliest first. */
  readonly checks: readonly string[];
  /** The next commands, in this order. */
  readonly commands: readonly string[];
}

/** A histogram of failures. */
export interface Histogram {
  /** RFC 3339; the start of the first bar. */
  readonly start: string;
  /** Duration of a bar. */
  readonly seconds: number;
  readonly counts: readonly number[];
}

/** The results for one webhook or APIService. */
export interface ScannedCallout extends NamedInText {
  /** Calls that failed, including those that failed open. */
  readonly failures: Occurrences;
  /** Calls that failed while the request was admitted. */
  readonly failedOpen: Occurrences;
  readonly denials: Occurrences;
  /** Dry runs that failed or were denied, which no other count includes. */
  readonly dryRuns: Occurrences;
  readonly causes: readonly ScannedCause[];
  readonly histogram?: Histogram;
}

/** All counts. The last two are about dry runs, the others about real requests. */
export interface ScanSummary {
  readonly failures: number;
  readonly failedOpen: number;
  readonly denials: number;
  readonly dryRuns: number;
  /** Dry runs that this program sent. */
  readonly ownDryRuns: number;
}

/** Webhook calls in logs, audit logs or Events: the document that `-o json` prints. */
export interface ScanReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'ScanReport';
  readonly takenAt: string;
  readonly source: {
    /** As typed; `-` for standard input. */
    readonly name: string;
    /** After decompression. */
    readonly bytes: number;
    /** Number of lines (or Events) that were parsed. */
    readonly examined: number;
    /** Number of those that are incomplete or damaged; their readable parts were used. */
    readonly damaged: number;
    /** `text`: the input does not look like a log, an audit log or a list of Events. */
    readonly kind: 'log' | 'text';
    /** The input itself ended early, such as a truncated gzip stream; the part before that was read. */
    readonly brokenOff?: string;
  };
  /** The time between the first and the last entry about a webhook. */
  readonly window?: { readonly first: string; readonly last: string };
  readonly summary: ScanSummary;
  /** Sorted by failures, the most first. */
  readonly callouts: readonly ScannedCallout[];
  /** Number of webhooks beyond the limit; their counts are in the summary only. */
  readonly notKept: number;
  /** The present state of the worst of them; absent if no cluster was examined. */
  readonly live?: readonly ClusterFinding[];
  /** The explanation of an input that is not a log. */
  readonly matches?: readonly ExplainedText[] | undefined;
  readonly nearest?: Explanation['nearest'] | undefined;
  /** Objects in the cluster that could not be read. They must not be treated as absent or healthy. */
  readonly notLookedAt?: readonly NotLookedAt[];
  /** The reason that the cluster was not examined. */
  readonly notLive?: string;
}
