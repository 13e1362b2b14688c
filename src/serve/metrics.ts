import type { CertificateSource } from '../diagnose/certificates/certificate-report.ts';
import type { CalloutReport } from '../diagnose/report.ts';
import type { MetricFamily, MetricValue } from './open-metrics.ts';
import { type Counter, labelsOfKey, latencyBounds, type ServeRecord } from './record.ts';

type About = Pick<CalloutReport, 'kind' | 'configuration' | 'webhook'>;

const about = ({ kind, configuration, webhook }: About) => ({ kind, configuration, webhook });

const samplesOf = (counter: Counter, ...names: readonly string[]): readonly MetricValue[] =>
  [...counter].map(([key, value]) => ({
    labels: Object.fromEntries(labelsOfKey(key).map((label, at) => [names[at] ?? '', label])),
    value,
  }));

const tally = <T>(items: readonly T[], of: (item: T) => string): readonly (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(of(item), (counts.get(of(item)) ?? 0) + 1);
  return [...counts];
};

/** One sample for each webhook that is not healthy, with its cause. */
const problems = (callouts: readonly CalloutReport[]): readonly MetricValue[] =>
  callouts
    .filter(({ verdict }) => verdict.state !== 'healthy')
    .map((callout) => {
      const { state, link, effect, because, confidence } = callout.verdict;
      return { labels: { ...about(callout), state, link, effect, check: because[0], confidence }, value: 1 };
    });

/** The earliest expiry for each place of each webhook in the report; seconds since 1970. */
function expiries({ certificates, report }: ServeRecord): readonly MetricValue[] {
  const present = new Set(report?.callouts.map((callout) => JSON.stringify(about(callout))));
  const first = new Map<string, { readonly labels: About & { place: CertificateSource }; value: number }>();
  for (const { callout, source, notAfter } of certificates?.certificates ?? []) {
    if (notAfter === undefined || !present.has(JSON.stringify(about(callout)))) continue;
    const labels = { ...about(callout), place: source };
    const key = JSON.stringify(labels);
    const value = Date.parse(notAfter) / 1000;
    first.set(key, { labels, value: Math.min(value, first.get(key)?.value ?? value) });
  }
  return [...first.values()];
}

const latencies = ({ latencies: byKind }: ServeRecord): readonly MetricValue[] =>
  [...byKind].flatMap(([kind, { buckets, sum, count }]) => [
    ...latencyBounds.map((le, at) => ({
      labels: { kind, le: le % 1 === 0 ? `${le}.0` : String(le) },
      value: buckets[at] ?? 0,
      suffix: '_bucket',
    })),
    { labels: { kind, le: '+Inf' }, value: count, suffix: '_bucket' },
    { labels: { kind }, value: sum, suffix: '_sum' },
    { labels: { kind }, value: count, suffix: '_count' },
  ]);

/** The resources that the process uses, as client libraries of Prometheus report them. */
export interface ProcessUse {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
  /** Seconds since 1970. */
  readonly startedAt: number;
}

const prefix = 'kubectl_webhook_';
const family =
  (type: MetricFamily['type']) =>
  (name: string, help: string, samples: readonly MetricValue[]): MetricFamily => ({
    name: prefix + name,
    type,
    help,
    samples,
  });
const [info, gauge, counter] = [family('info'), family('gauge'), family('counter')];
const one = (value: number | undefined): readonly MetricValue[] => (value === undefined ? [] : [{ value }]);

/** Every metric of `serve`: docs/fleet.md lists them. */
export const serveMetrics = (
  record: ServeRecord,
  process: ProcessUse,
  version: string,
): readonly MetricFamily[] => [
  info('build', 'Version of this program.', [{ labels: { version }, value: 1 }]),
  ...webhookMetrics(record),
  ...evaluationMetrics(record),
  ...requestMetrics(record),
  ...processMetrics(process),
];

/** Webhooks and APIServices: their state, Pods, certificates, and calls. */
function webhookMetrics(record: ServeRecord): readonly MetricFamily[] {
  const callouts = record.report?.callouts ?? [];
  return [
    gauge(
      'healthy',
      '1: the next call to this webhook or APIService succeeds. 0: it fails, may fail, or is unknown.',
      callouts.map((callout) => ({
        labels: about(callout),
        value: callout.verdict.state === 'healthy' ? 1 : 0,
      })),
    ),
    gauge(
      'problem',
      '1 for each webhook that is failing, degraded or unknown, with the link of the chain and the check that found it.',
      problems(callouts),
    ),
    gauge(
      'replicas',
      'Pods behind a webhook, by state.',
      callouts.flatMap((callout) =>
        tally(callout.replicas, ({ state }) => state).map(([state, value]) => ({
          labels: { ...about(callout), state },
          value,
        })),
      ),
    ),
    gauge(
      'certificate_expiry_timestamp_seconds',
      'When the first certificate in this place expires: ca-bundle, secret, config-map or served.',
      expiries(record),
    ),
    {
      name: `${prefix}probe_duration_seconds`,
      type: 'histogram',
      help: 'How long Pods took to respond to a probe.',
      samples: latencies(record),
    },
    counter(
      'unchecked_requests',
      'Requests that API servers admitted without this webhook because the call to it failed.',
      samplesOf(record.unchecked, 'type', 'webhook'),
    ),
    counter(
      'blocked_requests',
      'Requests that API servers refused because the call to this webhook failed.',
      samplesOf(record.blocked, 'type', 'webhook'),
    ),
  ];
}

function evaluationMetrics(record: ServeRecord): readonly MetricFamily[] {
  const { report, took, evaluations } = record;
  const { findings = [], notLookedAt = [], takenAt } = report ?? {};
  return [
    gauge(
      'findings',
      'Findings of the last evaluation, by severity.',
      tally(findings, ({ severity }) => severity).map(([severity, value]) => ({
        labels: { severity },
        value,
      })),
    ),
    gauge(
      'unread',
      'Objects that the last evaluation could not read, by reason.',
      tally(notLookedAt, ({ why }) => why).map(([reason, value]) => ({ labels: { reason }, value })),
    ),
    gauge(
      'last_judgement_timestamp_seconds',
      'Time of the last evaluation.',
      one(takenAt === undefined ? undefined : Date.parse(takenAt) / 1000),
    ),
    gauge('judgement_duration_seconds', 'Duration of the last evaluation.', one(report && took / 1000)),
    counter('judgements', 'Evaluations since the start.', one(evaluations)),
    counter(
      'judgement_failures',
      'Evaluations that failed because the API server could not be read.',
      samplesOf(record.failures, 'reason'),
    ),
    gauge(
      'prober',
      '1: this replica connects to Pods; the others evaluate objects only.',
      one(record.probes === undefined ? undefined : Number(record.probes)),
    ),
  ];
}

const requestMetrics = (record: ServeRecord): readonly MetricFamily[] => [
  counter('api_requests', 'Requests to the API server.', samplesOf(record.apiRequests, 'verb', 'code')),
  counter(
    'watch_interruptions',
    'Watches that ended early: dropped, expired (410) or refused; limit: Secrets that are too many to watch.',
    samplesOf(record.watchEnds, 'reason'),
  ),
  counter('http_requests', 'Requests to this server.', samplesOf(record.answers, 'path', 'code')),
];

const processMetrics = ({ residentBytes, cpuSeconds, startedAt }: ProcessUse): readonly MetricFamily[] => [
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory.',
    samples: one(residentBytes),
  },
  { name: 'process_cpu_seconds', type: 'counter', help: 'Processor time.', samples: one(cpuSeconds) },
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'When this process started.',
    samples: one(startedAt),
  },
];
