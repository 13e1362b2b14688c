import { complete, type Lookup } from '../../../src/facts/lookup.ts';
import type {
  MetricsReading,
  ServerMetrics,
  ServerReading,
  WebhookCounts,
} from '../../../src/facts/metrics.ts';

/** The counts of an API server for policy.example.com since the start of the year; zero by default. */
export const counts = (over: Partial<WebhookCounts> = {}): WebhookCounts => ({
  webhook: 'policy.example.com',
  type: 'validating',
  denied: 0,
  refused: {},
  unusable: 0,
  failedOpen: 0,
  conditionErrors: 0,
  calls: 1000,
  seconds: 10,
  buckets: [
    { seconds: 0.5, calls: 1000 },
    { seconds: 2.5, calls: 1000 },
    { seconds: 10, calls: 1000 },
    { seconds: 25, calls: 1000 },
  ],
  ...over,
});

const reading = (webhooks: readonly WebhookCounts[], readAt: string): MetricsReading => ({
  readAt,
  since: '2025-12-31T23:00:00.250Z',
  webhooks,
  conversions: [],
});

/** One reading, or two with 30 s between them: the earlier one second. */
export const metrics = (
  webhooks: readonly WebhookCounts[],
  before?: readonly WebhookCounts[],
  over: Partial<ServerReading> = {},
): Lookup<ServerMetrics> => metricsOf([counting(webhooks, before, over)]);

/** The counts of one API server. */
export const counting = (
  webhooks: readonly WebhookCounts[],
  before?: readonly WebhookCounts[],
  over: Partial<ServerReading> = {},
): ServerReading => ({
  ...reading(webhooks, '2026-01-01T00:00:30.000Z'),
  server: 'https://cluster.example',
  ...(before === undefined ? {} : { before: reading(before, '2026-01-01T00:00:00.000Z') }),
  ...over,
});

/** The counts of several API servers, and the number that was not read. */
export const metricsOf = (
  servers: readonly ServerReading[],
  unread: ServerMetrics['unread'] = [],
): Lookup<ServerMetrics> => complete([['server', { servers, unread, missing: unread.length }]]);
