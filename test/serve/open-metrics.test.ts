import { expect } from 'chai';
import type { CertificateReport } from '../../src/diagnose/certificates/certificate-report.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { MetricsReading, WebhookCounts } from '../../src/facts/metrics.ts';
import { serveMetrics } from '../../src/serve/metrics.ts';
import { openMetricsText } from '../../src/serve/open-metrics.ts';
import { newRecord, noteCounts, noteLatencies } from '../../src/serve/record.ts';
import { metricValues } from '../support/serve.ts';

const use = { residentBytes: 1, cpuSeconds: 2, startedAt: 3 };
const hostile = 'a"b\\c\nd';

const report = {
  takenAt: '2026-01-01T00:00:00Z',
  findings: [],
  notLookedAt: [],
  callouts: [
    {
      kind: 'validating',
      configuration: hostile,
      webhook: 'w',
      replicas: [
        { ready: true, state: 'ready', latencyMs: 7 },
        { ready: true, state: 'ready', latencyMs: 40_000 },
      ],
      verdict: { state: 'failing', link: 'tls', confidence: 'observed', because: ['x'], effect: 'blocks' },
    },
  ],
} as unknown as DoctorReport;

const counts = (failedOpen: number, refused: number): WebhookCounts => ({
  webhook: 'w',
  type: 'validating',
  denied: 0,
  refused: { 500: refused },
  unusable: 1,
  failedOpen,
  conditionErrors: 0,
  calls: 10,
  seconds: 1,
  buckets: [],
});
const reading = (since: string, one: WebhookCounts): MetricsReading => ({
  readAt: since,
  since,
  webhooks: [one],
  conversions: [],
});

describe('metrics of serve', () => {
  it('escape text of a cluster, and keep one line per value', () => {
    const record = { ...newRecord(), report };
    noteLatencies(record, report.callouts, new Set([`validating/${hostile}/w`]));
    const text = openMetricsText(serveMetrics(record, use, '1.0.0'));
    const values = metricValues(text);
    const about = 'kind="validating",configuration="a\\"b\\\\c\\nd",webhook="w"';
    expect(values.get(`kubectl_webhook_healthy{${about}}`)).to.equal(0);
    expect(
      values.get(
        `kubectl_webhook_problem{${about},state="failing",link="tls",effect="blocks",check="x",confidence="observed"}`,
      ),
    ).to.equal(1);
    expect(values.get(`kubectl_webhook_replicas{${about},state="ready"}`)).to.equal(2);
    const bucket = (le: string) =>
      values.get(`kubectl_webhook_probe_duration_seconds_bucket{kind="validating",le="${le}"}`);
    expect([bucket('0.005'), bucket('0.01'), bucket('30.0'), bucket('+Inf')]).to.deep.equal([0, 1, 1, 2]);
    expect(values.get('kubectl_webhook_last_judgement_timestamp_seconds')).to.equal(1767225600);
  });

  it('contain the expiry of certificates of existing webhooks', () => {
    const expiring = (webhook: string) => ({
      callout: { kind: 'validating', configuration: hostile, webhook },
      source: 'ca-bundle',
      notAfter: '2026-02-01T00:00:00Z',
    });
    const certificates = { certificates: [expiring('w'), expiring('gone')] } as unknown as CertificateReport;
    const values = metricValues(
      openMetricsText(serveMetrics({ ...newRecord(), report, certificates }, use, '1')),
    );
    const expiries = [...values].filter(([key]) => key.startsWith('kubectl_webhook_certificate_expiry'));
    expect(expiries.map(([, value]) => value)).to.deep.equal([1769904000]);
  });

  it('count from the start of the server on, whichever API server counts', () => {
    const record = newRecord();
    const started = Date.parse('2026-01-01T12:00:00Z');
    const values = () => metricValues(openMetricsText(serveMetrics(record, use, '1')));
    const unchecked = () =>
      values().get('kubectl_webhook_unchecked_requests_total{type="validating",webhook="w"}');
    const blocked = () =>
      values().get('kubectl_webhook_blocked_requests_total{type="validating",webhook="w"}');
    const old = '2026-01-01T00:00:00Z';
    noteCounts(record, [reading(old, counts(100, 50))], started);
    expect([unchecked(), blocked()]).to.deep.equal([0, 0]);
    noteCounts(record, [reading(old, counts(103, 52))], started);
    expect([unchecked(), blocked()]).to.deep.equal([3, 2]);
    // It was restarted, and counts from zero.
    noteCounts(record, [reading('2026-01-01T13:00:00Z', counts(4, 0))], started);
    expect([unchecked(), blocked()]).to.deep.equal([7, 3]);
    // Another one that had counted before this server started.
    noteCounts(record, [reading('2025-12-31T00:00:00Z', counts(1000, 1000))], started);
    expect([unchecked(), blocked()]).to.deep.equal([7, 3]);
  });
});
