import { expect } from 'chai';
import { attempts } from '../../../../src/collect/attempts.ts';
import { type ClusterReader, ReadError } from '../../../../src/collect/cluster.ts';
import {
  countWebhooks,
  parseMetricLine,
} from '../../../../src/collect/collectors/api-server/count-webhooks.ts';
import { collectMetrics } from '../../../../src/collect/collectors/api-server/metrics.ts';
import { recordedReader } from '../../../support/recorded-reader.ts';

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
apiserver_request_total{code="200",dry_run="",resource="configmaps",verb="GET"} 999
apiserver_request_total{code="201",dry_run="All",resource="configmaps",verb="POST"} 4
apiserver_request_total{code="201",dry_run="All",resource="pods",verb="POST"} 3
apiserver_request_total{code="500",dry_run="All",resource="pods",verb="POST"} 1
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

describe('counters of an API server', () => {
  const { webhooks, conversions, dryRuns, since } = counted(text);
  const of = (name: string, type: string) =>
    webhooks.find((counts) => counts.webhook === name && counts.type === type);

  it('adds up dry runs by the status code of their response', () =>
    expect(dryRuns).to.deep.equal({ 201: 7, 500: 1 }));

  it('separates rejections from denials and invalid responses, over all operations', () => {
    expect(of('a.example.com', 'validating')).to.deep.include({
      refused: { 503: 5 },
      denied: 7,
      unusable: 0,
    });
    expect(of('a.example.com', 'admit')).to.deep.include({ refused: {}, unusable: 1 });
  });
  it('names the types of webhooks whose plugin no request passed, if requests passed the last plugin', () => {
    const passed = (...plugins: readonly string[]) =>
      counted(
        plugins
          .map(
            (name) =>
              `apiserver_admission_controller_admission_duration_seconds_count{name="${name}",operation="CREATE",rejected="false",type="validate"} 5`,
          )
          .join('\n'),
      ).disabled;
    const both = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];
    expect(passed(...both, 'ResourceQuota')).to.deep.equal([]);
    expect(passed('MutatingAdmissionWebhook', 'ResourceQuota')).to.deep.equal(['validating']);
    expect(passed('ResourceQuota')).to.deep.equal(['admit', 'validating']);
    expect(passed('LimitRanger')).to.equal(undefined);
  });
  it('contains calls that failed open', () => {
    expect(of('b.example.com', 'admit')?.failedOpen).to.equal(12);
  });
  it('adds up times', () => {
    expect(of('a.example.com', 'validating')).to.deep.include({
      calls: 9,
      seconds: 2.5,
      buckets: [{ seconds: 0.005, calls: 5 }],
    });
  });
  it('contains matchConditions of webhooks, not of policies', () => {
    expect(of('a.example.com', 'validating')?.conditionErrors).to.equal(2);
  });
  it('contains conversions', () => {
    expect(conversions).to.deep.equal([{ resource: 'w.example.com', converted: 5, failed: 1 }]);
  });
  it('contains the start time', () => {
    expect(since).to.equal('2026-01-01T00:00:00.250Z');
    expect(counted('up 1').since).to.equal(undefined);
    expect(counted('process_start_time_seconds 1e300').since).to.equal(undefined);
  });
});

describe('reading /metrics', () => {
  const server = 'https://cluster.example';
  const reader = (start: number, failedOpen: number) =>
    `process_start_time_seconds ${start}\napiserver_admission_webhook_fail_open_count{name="a",type="admit"} ${failedOpen}`;

  it('reads the server of the kubeconfig once', async () => {
    const recorded = recordedReader({ '/metrics': reader(1_767_225_600, 3) });
    const metrics = await collectMetrics(attempts(recorded), server, {});
    expect(metrics.get('server')?.servers.map(({ server, since }) => [server, since])).to.deep.equal([
      [server, '2026-01-01T00:00:00.000Z'],
    ]);
    expect(recorded.asked).to.deep.equal(['/metrics']);
  });
  it('reads twice for rates, from the same process', async () => {
    const read = attempts(recordedReader({ '/metrics': reader(1_767_225_600, 3) }));
    const metrics = await collectMetrics(read, server, { sample: 1 });
    expect(metrics.get('server')?.servers[0]?.before?.webhooks).to.have.length(1);
  });
  it('has no rates if each response is from another process', async () => {
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
    expect(metrics.get('server')?.servers[0]).to.have.property('since');
    expect(metrics.get('server')?.servers[0]).to.not.have.property('before');
  });
  it('is optional: a forbidden read is reported, and does not change the exit code', async () => {
    const read = attempts(recordedReader({}, { '/metrics': 'forbidden' }));
    const metrics = await collectMetrics(read, server, {});
    expect(metrics.why('server')?.allow?.nonResourceURLs).to.deep.equal(['/metrics']);
    expect(read.failed).to.deep.equal([]);
  });
  it('changes the exit code if rates were requested', async () => {
    const read = attempts(recordedReader({}, { '/metrics': 'forbidden' }));
    await collectMetrics(read, server, { sample: 1 });
    expect(read.failed.map(({ what }) => what)).to.deep.equal(['metrics of the API server']);
  });

  describe('of several API servers', () => {
    /** For each address: the start of its process, and how often it failed open; undefined: not reachable. */
    const cluster = (
      own: [number, number],
      others: Readonly<Record<string, [number, number] | undefined>>,
    ) => {
      const asked: string[] = [];
      const serving = (address: string, found: [number, number] | undefined): ClusterReader => ({
        ...recordedReader({}),
        lines: async (path, each) => {
          asked.push(address);
          if (found === undefined) throw new ReadError('no answer', { reason: 'unreachable', path });
          for (const line of reader(...found).split('\n')) each(line);
        },
      });
      const whole: ClusterReader = {
        ...serving('own', own),
        at: (address) => serving(address, others[address]),
      };
      return { asked, read: attempts(whole), addresses: Object.keys(others) };
    };
    const start = 1_767_225_600;
    const collected = async (own: [number, number], others: Parameters<typeof cluster>[1]) => {
      const { read, addresses, asked } = cluster(own, others);
      const metrics = (await collectMetrics(read, server, {}, addresses)).get('server');
      expect(read.failed).to.deep.equal([]);
      return {
        asked,
        counted: metrics?.servers.map((one) => [one.server, one.webhooks[0]?.failedOpen]),
        missing: metrics?.missing,
        unread: metrics?.unread.map((one) => one.server),
      };
    };

    it('counts each process once, by whichever address it is reached', async () => {
      const { counted, missing, asked } = await collected([start, 3], {
        '192.0.2.10:6443': [start + 1, 3],
        '192.0.2.11:6443': [start + 60, 4],
        '192.0.2.12:6443': [start + 0.5, 5],
      });
      expect(counted).to.deep.equal([
        [server, 3],
        ['https://192.0.2.11:6443', 4],
        ['https://192.0.2.12:6443', 5],
      ]);
      expect(missing).to.equal(0);
      expect(asked.toSorted()).to.deep.equal([
        '192.0.2.10:6443',
        '192.0.2.11:6443',
        '192.0.2.12:6443',
        'own',
      ]);
    });
    it('replaces one unreachable server by the server of the kubeconfig', async () => {
      expect(await collected([start, 3], { '192.0.2.10:6443': undefined })).to.deep.include({
        counted: [[server, 3]],
        missing: 0,
      });
      expect(
        await collected([start, 3], { '192.0.2.10:6443': undefined, '192.0.2.11:6443': undefined }),
      ).to.deep.include({ missing: 1, unread: ['https://192.0.2.10:6443', 'https://192.0.2.11:6443'] });
      expect(
        await collected([start, 3], { '192.0.2.10:6443': [start, 3], '192.0.2.11:6443': undefined }),
      ).to.deep.include({ counted: [[server, 3]], missing: 1 });
    });
    it('connects to none whose certificate is not verified', async () => {
      const { read, asked } = cluster([start, 3], {});
      const alone = attempts({ ...recordedReader({ '/metrics': reader(start, 3) }) });
      const metrics = (await collectMetrics(alone, server, {}, ['192.0.2.10:6443'])).get('server');
      expect(metrics?.servers).to.have.length(1);
      expect(metrics?.unread[0]?.detail).to.include('verified');
      expect([read.failed, asked]).to.deep.equal([[], []]);
    });
  });
});
