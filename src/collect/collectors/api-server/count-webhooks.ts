import {
  type Bucket,
  type ConversionCounts,
  type MetricsReading,
  type WebhookCounts,
  type WebhookType,
  webhookPlugins,
} from '../../../facts/metrics.ts';

/** One sample of the Prometheus text format. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const sample = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})?\s+(?<value>[^\s{}]+)(?:\s+-?\d+)?\s*$/;
const label = /(?<name>[a-zA-Z_]\w*)="(?<value>(?:[^"\\]|\\.)*)"\s*,?\s*/gy;
const escapes: Readonly<Record<string, string>> = { n: '\n' };

function labelsOf(text: string): Record<string, string> | undefined {
  const labels: [string, string][] = [];
  let end = 0;
  for (const match of text.matchAll(label)) {
    const { name = '', value = '' } = match.groups ?? {};
    labels.push([name, value.replace(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped)]);
    end = match.index + match[0].length;
  }
  return text.slice(end).trim() === '' ? Object.fromEntries(labels) : undefined;
}

/** Parses a line of the text format 0.0.4; undefined for comments and for lines that are no valid samples. */
export function parseMetricLine(line: string): Sample | undefined {
  const groups = sample.exec(line)?.groups;
  if (groups?.name === undefined || groups.value === undefined) return undefined;
  const labels = labelsOf(groups.labels ?? '');
  const value = Number(groups.value.replace(/^([+-]?)Inf$/, '$1Infinity'));
  return labels === undefined || Number.isNaN(value) ? undefined : { name: groups.name, labels, value };
}

type Open<T> = { -readonly [Name in keyof T]: T[Name] };
type Tally = Open<Omit<WebhookCounts, 'buckets' | 'refused'>> & {
  readonly refused: Record<string, number>;
  readonly buckets: Map<number, number>;
};

const admission = 'apiserver_admission_webhook_';
const conditions = 'apiserver_admission_match_condition_evaluation_errors_total';
const duration = `${admission}admission_duration_seconds`;
/** The name since 1.28, and the one before it. */
const conversion = /^apiserver_crd_(?:conversion_webhook|webhook_conversion)_duration_seconds_count$/;
/** Filters by metric name before a line is parsed: /metrics has tens of thousands of lines. */
const wanted =
  /^(?:apiserver_admission_webhook_(?:rejection_count|fail_open_count|admission_duration_seconds)|apiserver_admission_match_condition_evaluation_errors_total|apiserver_crd_(?:conversion_webhook|webhook_conversion)_duration_seconds_count|process_start_time_seconds)|^apiserver_admission_controller_admission_duration_seconds_count\{name="(?:\w+AdmissionWebhook|ResourceQuota)"|^apiserver_request_total\{.*dry_run="All"/;

const plugin = 'apiserver_admission_controller_admission_duration_seconds_count';

/**
 * The types without a plugin, if requests passed the last one: ResourceQuota follows the plugins of webhooks
 * (kubeapiserver/options/plugins.go, AllOrderedPlugins), and validates after all others have mutated.
 */
function disabledTypes(plugins: ReadonlySet<string>): Pick<MetricsReading, 'disabled'> {
  if (!plugins.has('ResourceQuota')) return {};
  const types = Object.entries(webhookPlugins) as [WebhookType, string][];
  return { disabled: types.flatMap(([type, name]) => (plugins.has(name) ? [] : [type])) };
}

/** The maximum number of webhooks and CRDs that are counted: their names come from the cluster. */
const most = 5_000;

const empty = (webhook: string, type: WebhookType): Tally => ({
  webhook,
  type,
  denied: 0,
  refused: {},
  unusable: 0,
  failedOpen: 0,
  conditionErrors: 0,
  calls: 0,
  seconds: 0,
  buckets: new Map(),
});

/** Some match condition metrics use the type `validate` (webhook/generic, GetType). */
function typeOf(text: string | undefined): WebhookType | undefined {
  if (text === 'validate') return 'validating';
  return text === 'admit' || text === 'validating' ? text : undefined;
}

function addRejection(tally: Tally, { labels, value }: Sample): void {
  if (labels.error_type === 'no_error') tally.denied += value;
  else if (labels.error_type === 'apiserver_internal_error') tally.unusable += value;
  else {
    const code = labels.rejection_code ?? '0';
    tally.refused[code] = (tally.refused[code] ?? 0) + value;
  }
}

function addDuration(tally: Tally, { name, labels, value }: Sample): void {
  if (name === `${duration}_count`) tally.calls += value;
  else if (name === `${duration}_sum`) tally.seconds += value;
  else if (name === `${duration}_bucket` && labels.le !== '+Inf') {
    const bound = Number(labels.le);
    if (bound > 0) tally.buckets.set(bound, (tally.buckets.get(bound) ?? 0) + value);
  }
}

function add(tally: Tally, sample: Sample): void {
  if (sample.name === `${admission}rejection_count`) addRejection(tally, sample);
  else if (sample.name === `${admission}fail_open_count`) tally.failedOpen += sample.value;
  else if (sample.name === conditions) tally.conditionErrors += sample.value;
  else addDuration(tally, sample);
}

const ascending = (buckets: ReadonlyMap<number, number>): readonly Bucket[] =>
  [...buckets].sort(([a], [b]) => a - b).map(([seconds, calls]) => ({ seconds, calls }));

/** Adds up the lines of one /metrics response that are about webhooks; all others are dropped at once. */
export function countWebhooks(): {
  readonly take: (line: string) => void;
  readonly reading: (readAt: string) => MetricsReading;
} {
  const tallies = new Map<string, Tally>();
  const conversions = new Map<string, Open<ConversionCounts>>();
  const dryRuns: Record<string, number> = {};
  const plugins = new Set<string>();
  let started: number | undefined;

  const tallyOf = (webhook: string, type: WebhookType): Tally | undefined => {
    const key = `${type} ${webhook}`;
    const tally = tallies.get(key) ?? (tallies.size < most ? empty(webhook, type) : undefined);
    if (tally !== undefined) tallies.set(key, tally);
    return tally;
  };
  const addConversion = ({ labels, value }: Sample): void => {
    const { crd_name: resource = '', succeeded } = labels;
    if (!conversions.has(resource) && conversions.size >= most) return;
    const counts = conversions.get(resource) ?? { resource, converted: 0, failed: 0 };
    conversions.set(resource, counts);
    if (succeeded === 'false') counts.failed += value;
    else counts.converted += value;
  };

  return {
    take(line) {
      if (!wanted.test(line)) return;
      const sample = parseMetricLine(line);
      if (sample === undefined || !Number.isFinite(sample.value)) return;
      if (sample.name === 'process_start_time_seconds') started = sample.value;
      else if (sample.name === plugin) plugins.add(sample.labels.name ?? '');
      else if (conversion.test(sample.name)) addConversion(sample);
      else if (sample.name === 'apiserver_request_total') {
        const { code = '0' } = sample.labels;
        dryRuns[code] = (dryRuns[code] ?? 0) + sample.value;
      } else if (sample.name !== conditions || sample.labels.kind === 'webhook') {
        const type = typeOf(sample.labels.type);
        const tally = type && tallyOf(sample.labels.name ?? '', type);
        if (tally !== undefined) add(tally, sample);
      }
    },
    reading: (readAt) => ({
      readAt,
      since: started === undefined ? undefined : instant(started),
      webhooks: [...tallies.values()].map((tally) => ({ ...tally, buckets: ascending(tally.buckets) })),
      conversions: [...conversions.values()],
      dryRuns,
      ...disabledTypes(plugins),
    }),
  };
}

/** Converts seconds since 1970 to RFC 3339; undefined if they are not a valid date. */
function instant(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
