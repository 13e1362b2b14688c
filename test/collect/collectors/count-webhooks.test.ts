import { expect } from 'chai';
import { attempts } from '../../../src/collect/attempts.ts';
import { countWebhooks } from '../../../src/collect/collectors/count-webhooks.ts';
import { parseMetricLine } from '../../../src/collect/collectors/metric-line.ts';
import { collectMetrics } from '../../../src/collect/collectors/metrics.ts';
import { recordedReader } from '../../support/recorded-reader.ts';

const text = `# HELP apiserver_admission_webhook_rejection_count [ALPHA] …
# TYPE apiserver_admission_webhook_rejection_count counter
apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="a.example.com",operation="CREATE",rejection_code="503",type="validating"} 3
apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="a.example.com",operation="UPDATE",rejection_code="503",type="validating"} 2
apiserver_admission_webhook_rejection_count{error_type="no_error",name="a.example.com",operation="UPDATE",rejection_code="403",type="validating"} 7
apiserver_admission_webhook_rejection_count{error_type="apiserver_internal_error",name="a.example.com",operation="UPDATE",rejection_code="0",type="admit"} 1
apiserver_admission_webhook_fail_open_count{name="b.example.com",type="admit"} 1.2e+01
apiserver_admission_webhook_admission_duration_seconds_bucket{name="a.example.com",operation="CREATE",rejected="false",type="validating",le="0.005"} 4
apiserver_admission_webhook_admission_duration_seconds_bucket{name="a.example.com",operation="UPDATE",rejected="true",type="validating",le="0.005"} 1
apiserver_admission_webhook_admission_duration_seconds_bucket{name="a.example.com",operation="CREATE",rejected="false",type="validating",le="+Inf"} 9
apiserver_admission_webhook_admission_duration_seconds_sum{name="a.example.com",operation="CREATE",rejected="false",type="validating"} 2.5
apiserver_admission_webhook_admission_duration_seconds_count{name="a.example.com",operation="CREATE",rejected="false",type="validating"} 9
apiserver_admission_match_condition_evaluation_errors_total{kind="webhook",name="a.example.com",operation="CREATE",type="validate"} 2
apiserver_admission_match_condition_evaluation_errors_total{kind="policy",name="a.example.com",operation="CREATE",type="validate"} 50
apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="w.example.com",from_version="v1",succeeded="true",to_version="v2"} 5
apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="w.example.com",from_version="v1",succeeded="false",to_version="v2"} 1
apiserver_request_total{code="200"} 999
process_start_time_seconds 1.76722560025e+09
apiserver_admission_webhook_fail_open_count{name="cut`;

const counted = (lines: string) => {
  const { take, reading } = countWebhooks();
  for (const line of lines.split('\n')) take(line);
  return reading('2026-01-01T01:00:00.000Z');
};

describe('a line of /metrics', () => {
  it('is a name, labels and a value', () => {
    expect(parseMetricLine('a_total{x="1",y="a,\\"b\\"\\\\c\\n"} 5 1700000000000')).to.deep.equal({
      name: 'a_total',
      labels: { x: '1', y: 'a,"b"\\c\n' },
      value: 5,
    });
    expect(parseMetricLine('up 1')).to.deep.equal({ name: 'up', labels: {}, value: 1 });
    expect(parseMetricLine('b{le="+Inf",} +Inf')?.value).to.equal(Number.POSITIVE_INFINITY);
  });
  for (const line of ['', '# TYPE a counter', 'a{x="1} 5', 'a{x=1} 5', 'a b', '{} 1', 'a{x="1"}'])
    it(`is not: ${line}`, () => {
      expect(parseMetricLine(line)).to.equal(undefined);
    });
});

describe('what an API server counted', () => {
  const { webhooks, conversions, since } = counted(text);
  const of = (name: string, type: string) =>
    webhooks.find((counts) => counts.webhook === name && counts.type === type);

  it('tells refusals from denials and answers of no use, over all operations', () => {
    expect(of('a.example.com', 'validating')).to.deep.include({
      refused: { 503: 5 },
      denied: 7,
      unusable: 0,
    });
    expect(of('a.example.com', 'admit')).to.deep.include({ refused: {}, unusable: 1 });
  });
  it('has what failed open', () => {
    expect(of('b.example.com', 'admit')?.failedOpen).to.equal(12);
  });
  it('adds up times', () => {
    expect(of('a.example.com', 'validating')).to.deep.include({
      calls: 9,
      seconds: 2.5,
      buckets: [{ seconds: 0.005, calls: 5 }],
    });
  });
  it('has conditions of webhooks, not of policies', () => {
    expect(of('a.example.com', 'validating')?.conditionErrors).to.equal(2);
  });
  it('has conversions', () => {
    expect(conversions).to.deep.equal([{ resource: 'w.example.com', converted: 5, failed: 1 }]);
  });
  it('knows since when', () => {
    expect(since).to.equal('2026-01-01T00:00:00.250Z');
    expect(counted('up 1').since).to.equal(undefined);
    expect(counted('process_start_time_seconds 1e300').since).to.equal(undefined);
  });
});

describe('reading /metrics', () => {
  const server = 'https://cluster.example';
  const reader = (start: number, failedOpen: number) =>
    `process_start_time_seconds ${start}\napiserver_admission_webhook_fail_open_count{name="a",type="admit"} ${failedOpen}`;

  it('is one reading of the server that the kubeconfig reaches', async () => {
    const recorded = recordedReader({ '/metrics': reader(1_767_225_600, 3) });
    const metrics = await collectMetrics(attempts(recorded), server, {});
    expect(metrics.get('server')).to.deep.include({ server, since: '2026-01-01T00:00:00.000Z' });
    expect(recorded.asked).to.deep.equal(['/metrics']);
  });
  it('is two readings for rates, of the same process', async () => {
    const read = attempts(recordedReader({ '/metrics': reader(1_767_225_600, 3) }));
    const metrics = await collectMetrics(read, server, { sample: 1 });
    expect(metrics.get('server')?.before?.webhooks).to.have.length(1);
  });
  it('has no rates where each answer is another process’s', async () => {
    let start = 1_767_225_600;
    const changing = recordedReader({});
    const metrics = await collectMetrics(
      attempts({
        ...changing,
        lines: async (_path, each) => {
          start += 100;
          for (const line of reader(start, 3).split('\n')) each(line);
        },
      }),
      server,
      { sample: 1 },
    );
    expect(metrics.get('server')).to.have.property('since');
    expect(metrics.get('server')).to.not.have.property('before');
  });
  it('is an extra: a refusal is known, and not held against the run', async () => {
    const read = attempts(recordedReader({}, { '/metrics': 'forbidden' }));
    const metrics = await collectMetrics(read, server, {});
    expect(metrics.why('server')?.allow?.nonResourceURLs).to.deep.equal(['/metrics']);
    expect(read.failed).to.deep.equal([]);
  });
  it('is held against a run that asked for rates', async () => {
    const read = attempts(recordedReader({}, { '/metrics': 'forbidden' }));
    await collectMetrics(read, server, { sample: 1 });
    expect(read.failed.map(({ what }) => what)).to.deep.equal(['metrics of the API server']);
  });
});
