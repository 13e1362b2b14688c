/** The label `type` of kube-apiserver metrics: `admit` for mutating webhooks, `validating`. No label has the configuration. */
export type WebhookType = 'admit' | 'validating';

/** One bound of a histogram: calls that took at most so many seconds. */
export interface Bucket {
  readonly seconds: number;
  readonly calls: number;
}

/** The metrics of webhooks with one name and type; configurations with the same webhook name share them. */
export interface WebhookCounts {
  readonly webhook: string;
  readonly type: WebhookType;
  /** Requests that the webhook denied. */
  readonly denied: number;
  /** Requests refused because the call failed (`calling_webhook_error`), by the code that users got. */
  readonly refused: Readonly<Record<string, number>>;
  /** Requests refused because the API server could not use the answer (`apiserver_internal_error`). */
  readonly unusable: number;
  /** Calls that failed and let the request pass. */
  readonly failedOpen: number;
  /** Evaluations of its match conditions that ended in an error. */
  readonly conditionErrors: number;
  /** All calls that were timed, failed ones too. */
  readonly calls: number;
  /** Seconds that they took together. */
  readonly seconds: number;
  /** Ascending and cumulative, without +Inf. */
  readonly buckets: readonly Bucket[];
}

/** The metrics of conversions of one CRD. */
export interface ConversionCounts {
  readonly resource: string;
  readonly converted: number;
  readonly failed: number;
}

/** One reading of one API server. Counters begin at zero when its process starts. */
export interface MetricsReading {
  /** RFC 3339: by our clock. */
  readonly readAt: string;
  /** RFC 3339: `process_start_time_seconds`; undefined if absent. */
  readonly since: string | undefined;
  readonly webhooks: readonly WebhookCounts[];
  readonly conversions: readonly ConversionCounts[];
  /**
   * Dry runs of any client, by the code of the response. The counts of webhooks include the calls that they made, and do
   * not tell them apart. Absent where a snapshot is older than this fact.
   */
  readonly dryRuns?: Readonly<Record<string, number>>;
}

/** The metrics of one API server, and its address. */
export interface ServerReading extends MetricsReading {
  /** Base URL. */
  readonly server: string;
  /** An earlier reading of the same process, for rates. */
  readonly before?: MetricsReading;
}

/** The metrics of the API servers of the cluster: each process once, also if it has several addresses. */
export interface ServerMetrics {
  /** At least one; the one that the kubeconfig names is the first. */
  readonly servers: readonly ServerReading[];
  /** Addresses at which none could be read, and why; the one behind the kubeconfig's URL may be among them. */
  readonly unread: readonly { readonly server: string; readonly detail: string }[];
  /** How many API servers, at least, were not read. */
  readonly missing: number;
}

/** Milliseconds within which two values of `process_start_time_seconds` mean the same process. */
const sameStart = 2_000;

/**
 * The kernel tells when it started in whole seconds, which may shift by one; a process's own share, of a hundredth of a
 * second, stays (procfs: btime and starttime).
 */
const shift = 1_000;
const tick = 15;

/** Whether two readings are of one process: a restart, or another instance, began another count. */
export function sameProcess(a: MetricsReading, b: MetricsReading): boolean {
  if (a.since === undefined || b.since === undefined) return false;
  const apart = Math.abs(Date.parse(a.since) - Date.parse(b.since));
  return apart < sameStart && Math.abs(apart - Math.round(apart / shift) * shift) <= tick;
}
