/** What became of the requests that were sent in one second. */
export interface SoakSecond {
  /** The webhook did what it is there for: it denied, or changed the object. */
  readonly checked: number;
  /** Admitted as if there were no webhook. */
  readonly unchecked: number;
  /** Refused because the call failed, or not answered. */
  readonly failed: number;
  /** Anything else: refused by somebody else. */
  readonly other: number;
  /** Of all these, those that took longer than half of the webhook's timeout. */
  readonly slow: number;
}

/** Requests at a steady rate, and what became of them: the document that `-o json` prints. */
export interface SoakReport {
  readonly apiVersion: 'kubectl-webhook/v1';
  readonly kind: 'SoakReport';
  readonly takenAt: string;
  readonly callout: {
    readonly kind: 'validating' | 'mutating';
    readonly configuration: string;
    readonly webhook: string;
    readonly failurePolicy: 'Fail' | 'Ignore';
    readonly timeoutSeconds: number;
  };
  /** What was sent, each time as a dry run. */
  readonly object: {
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly by: 'given' | 'suggested';
  };
  /** By what an answer shows that the webhook was asked: it denies, or these fields are there. */
  readonly shows: { readonly by: 'denial' } | { readonly by: 'fields'; readonly fields: readonly string[] };
  /** Requests a second. */
  readonly rate: number;
  readonly during?: {
    readonly command: string;
    /** Null: it was ended by a signal; absent: it was still running. */
    readonly exitCode?: number | null;
    /** Seconds from the first request to its start and its end. */
    readonly from: number;
    readonly to?: number;
  };
  readonly seconds: number;
  /** True: Ctrl-C ended it. */
  readonly interrupted: boolean;
  readonly totals: SoakSecond & {
    readonly requests: number;
    /** Not sent, because too many were under way. */
    readonly notSent: number;
  };
  /** Milliseconds; absent when nothing was answered. */
  readonly latency?: { readonly median: number; readonly p99: number; readonly longest: number };
  /** The API server's sentences about failures, the most frequent first. */
  readonly failures: readonly { readonly count: number; readonly message: string }[];
  readonly timeline: readonly SoakSecond[];
}
