import type { CauseKind } from '../apiserver/sentences/cause-kind.ts';
import type { NamedInText } from '../explain/explain.ts';
import type { ClusterFinding, ExplainedText, Explanation } from '../explain/explanation.ts';
import type { NotLookedAt } from '../facts/unread.ts';

/** How often something was logged, and when. */
export interface Occurrences {
  readonly count: number;
  /** RFC 3339; absent where no line about it had a time. */
  readonly first?: string;
  readonly last?: string;
}

/** One way in which calls of a callout failed. */
export interface ScannedCause extends Occurrences {
  readonly cause: CauseKind | 'unknown';
  /** One of the sentences, cut. */
  readonly example: string;
  readonly means: string;
  /** Ids of the checks that may explain it, likeliest first. */
  readonly checks: readonly string[];
  /** What to run next, in this order. */
  readonly commands: readonly string[];
}

/** Failures over time. */
export interface Histogram {
  /** RFC 3339, of the first bar. */
  readonly start: string;
  /** Of one bar. */
  readonly seconds: number;
  readonly counts: readonly number[];
}

/** What the source says about one callout. */
export interface ScannedCallout extends NamedInText {
  /** Calls that failed, those that failed open among them. */
  readonly failures: Occurrences;
  /** Calls that failed and let the request pass. */
  readonly failedOpen: Occurrences;
  readonly denials: Occurrences;
  /** Dry runs that failed or were denied: they are in no other count. */
  readonly dryRuns: Occurrences;
  readonly causes: readonly ScannedCause[];
  readonly histogram?: Histogram;
}

/** All counts; real requests, but for the last two. */
export interface ScanSummary {
  readonly failures: number;
  readonly failedOpen: number;
  readonly denials: number;
  readonly dryRuns: number;
  /** Of the dry runs, those that this program sent. */
  readonly ownDryRuns: number;
}

/** What logs, audit logs or events tell about calls: the document that `-o json` prints. */
export interface ScanReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'ScanReport';
  readonly takenAt: string;
  readonly source: {
    /** As typed; `-` for standard input. */
    readonly name: string;
    /** After decompression. */
    readonly bytes: number;
    /** Lines (or events) that were looked at closely. */
    readonly examined: number;
    /** Of those, records that are cut or damaged: what could be read of them was. */
    readonly damaged: number;
    /** `text`: nothing in it looks like a record of a log, an audit log or a list of Events. */
    readonly kind: 'log' | 'text';
    /** Set when the input itself ended early, a gzip stream that breaks off: what came before it was read. */
    readonly brokenOff?: string;
  };
  /** The time between the first and the last line that was about a callout. */
  readonly window?: { readonly first: string; readonly last: string };
  readonly summary: ScanSummary;
  /** The one with most failures first. */
  readonly callouts: readonly ScannedCallout[];
  /** Callouts beyond the most that are kept apart; their counts are in the summary. */
  readonly notKept: number;
  /** The present state of the worst of them; absent if no cluster was examined. */
  readonly live?: readonly ClusterFinding[];
  /** What `explain` says of an input that is no log. */
  readonly matches?: readonly ExplainedText[] | undefined;
  readonly nearest?: Explanation['nearest'] | undefined;
  /** What could not be looked at in the cluster: never to be read as absent or fine. */
  readonly notLookedAt?: readonly NotLookedAt[];
  /** The reason that the cluster was not examined. */
  readonly notLive?: string;
}
