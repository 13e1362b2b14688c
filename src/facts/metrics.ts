/** The label `type` of kube-apiserver metrics: `admit` is mutating. No label has the configuration. */
export type WebhookType = 'admit' | 'validating';

/** The admission plugins of kube-apiserver that call webhooks. */
export const webhookPlugins: Readonly<Record<WebhookType, string>> = {
  admit: 'MutatingAdmissionWebhook',
  validating: 'ValidatingAdmissionWebhook',
};

/** One bucket of a histogram: calls that lasted at most this many seconds. */
export interface Bucket {
  readonly seconds: number;
  readonly calls: number;
}

/** The metrics of webhooks with one name and type; configurations with the same webhook name share them. */
export interface WebhookCounts {
  readonly webhook: string;
  readonly type: WebhookType;
  readonly denied: number;
  /** Requests refused because the call failed (`calling_webhook_error`), by the code that users got. */
  readonly refused: Readonly<Record<string, number>>;
  /** Requests refused because the API server could not process the response (`apiserver_internal_error`). */
  readonly unusable: number;
  readonly failedOpen: number;
  /** Evaluations of its matchConditions that returned an error. */
  readonly conditionErrors: number;
  /** All timed calls, including failed ones. */
  readonly calls: number;
  /** Total duration of these calls in seconds. */
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

/** One reading of the metrics of one API server. Counters start at zero with its process. */
export interface MetricsReading {
  /** RFC 3339, by the clock of this computer. */
  readonly readAt: string;
  /** RFC 3339: `process_start_time_seconds`; undefined if absent. */
  readonly since: string | undefined;
  readonly webhooks: readonly WebhookCounts[];
  readonly conversions: readonly ConversionCounts[];
  /**
   * Dry runs of any client, by the code of the response. The counts of webhooks include the calls of dry runs
   * without distinction. Absent if a snapshot is older than this fact.
   */
  readonly dryRuns?: Readonly<Record<string, number>>;
  /**
   * Types of webhooks whose admission plugin this API server runs without: none of them is called. Absent if no
   * request has shown it, or if a snapshot is older than this fact.
   */
  readonly disabled?: readonly WebhookType[];
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
  /** At least one; the server of the kubeconfig is the first. */
  readonly servers: readonly ServerReading[];
  /** Addresses without readable metrics, and why; the server of the kubeconfig can be among them. */
  readonly unread: readonly { readonly server: string; readonly detail: string }[];
  /** The minimum number of API servers that were not read. */
  readonly missing: number;
}

/** Milliseconds within which two values of `process_start_time_seconds` mean the same process. */
const sameStart = 2_000;

/**
 * The kernel reports its boot time in whole seconds, which can change by one; the start time of a process, in
 * hundredths of a second, is constant (procfs: btime and starttime).
 */
const shift = 1_000;
const tick = 15;

/** True if two readings are of one process: a restarted or another process has other counters. */
export function sameProcess(a: MetricsReading, b: MetricsReading): boolean {
  if (a.since === undefined || b.since === undefined) return false;
  const apart = Math.abs(Date.parse(a.since) - Date.parse(b.since));
  return apart < sameStart && Math.abs(apart - Math.round(apart / shift) * shift) <= tick;
}
