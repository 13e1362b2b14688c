/** Outcomes of the requests that were sent in one second. */
export interface SoakSecond {
  /** The webhook worked: it denied the request, or changed the object. */
  readonly checked: number;
  /** Admitted without the webhook. */
  readonly unchecked: number;
  /** Refused because the call failed, or without a response. */
  readonly failed: number;
  /** Any other outcome, such as a denial by another webhook. */
  readonly other: number;
  /** Number of all these that took longer than half of the webhook's timeout. */
  readonly slow: number;
}

/** Requests at a steady rate and their outcomes: the document that `-o json` prints. */
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
  /** The object that was sent, each time as a dry run. */
  readonly object: {
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly by: 'given' | 'suggested';
  };
  /** The sign in a response that the webhook was called: a denial, or these fields. */
  readonly shows: { readonly by: 'denial' } | { readonly by: 'fields'; readonly fields: readonly string[] };
  /** Requests per second. */
  readonly rate: number;
  readonly during?: {
    readonly command: string;
    /** Null: ended by a signal; absent: it was still running. */
    readonly exitCode?: number | null;
    /** Seconds from the first request to its start and its exit. */
    readonly from: number;
    readonly to?: number;
  };
  readonly seconds: number;
  /** True: Ctrl-C ended it. */
  readonly interrupted: boolean;
  readonly totals: SoakSecond & {
    readonly requests: number;
    /** Not sent, because too many were in progress. */
    readonly notSent: number;
  };
  /** Milliseconds; absent without any response. */
  readonly latency?: { readonly median: number; readonly p99: number; readonly longest: number };
  /** The API server's errors, the most frequent first. */
  readonly failures: readonly { readonly count: number; readonly message: string }[];
  readonly timeline: readonly SoakSecond[];
}
