import { expect } from 'chai';
import fc from 'fast-check';
import { type ScanResult, scanner } from '../../src/scan/scanner.ts';
import { failedOpenKey } from '../apiserver/admission/call-records.ts';

const now = new Date('2026-03-01T12:00:00Z');

/** Reads text in chunks of that many bytes. */
function scanned(text: string, pieces = 1_000_000): ScanResult {
  const { take, end } = scanner(now, () => []);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieces) take(bytes.subarray(at, at + pieces));
  return end();
}
const of = ({ callouts }: ScanResult, name: string) =>
  callouts.find((callout) => callout.name === name) ?? expect.fail(`nothing about ${name}`);

const refused =
  'failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/?timeout=3s": dial tcp 198.51.100.1:443: connect: connection refused';
const klog = (at: string, text: string): string => `W0228 ${at}.123456      12 dispatcher.go:217] ${text}`;
const audit = (over: object): string =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: 'x',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/configmaps',
    responseStatus: { metadata: {}, code: 201 },
    stageTimestamp: '2026-02-28T10:00:00.000000Z',
    ...over,
  });
const status = (message: string, code: number) => ({
  responseStatus: { metadata: {}, status: 'Failure', message, code },
});
const event = (message: string, over: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Event',
  involvedObject: { kind: 'ReplicaSet', namespace: 'shop', name: 'web-1' },
  metadata: { name: 'web.1' },
  reason: 'FailedCreate',
  message,
  count: 40,
  firstTimestamp: '2026-02-28T09:00:00Z',
  lastTimestamp: '2026-02-28T11:00:00Z',
  ...over,
});

describe('a scan', () => {
  it('reads the log of an API server: what failed open, why, and when', () => {
    const found = scanned(
      [
        klog('10:00:00', `Failed calling webhook, failing open a.example.com: ${refused}`),
        klog('10:00:01', 'something else about a webhook'),
        klog('10:05:00', `Failed calling webhook, failing closed a.example.com: ${refused}`),
      ].join('\n'),
    );
    const { failures, failedOpen, causes, service } = of(found, 'a.example.com');
    expect(failures).to.deep.equal({
      count: 2,
      first: '2026-02-28T10:00:00.123Z',
      last: '2026-02-28T10:05:00.123Z',
    });
    expect(failedOpen.count).to.equal(1);
    expect(causes.map(({ cause, count }) => [cause, count])).to.deep.equal([['connection-refused', 2]]);
    expect(service).to.deep.equal({ namespace: 'shop', name: 'a' });
    expect(found.examined).to.equal(2);
  });

  // As kube-apiserver 1.35.4 writes it.
  const opened = (at: string): string[] => {
    const stamp = `${at}.537851   14513 dispatcher.go`;
    return [
      `W0228 ${stamp}:205] Failed calling webhook, failing open a.example.com: ${refused}`,
      `E0228 ${stamp}:213] "Unhandled Error" err=${JSON.stringify(refused)} logger="UnhandledError"`,
    ];
  };

  it('counts a call that failed open once, although the API server logs it twice', () => {
    const [first = [], second = []] = [opened('10:00:00'), opened('10:00:00')];
    for (const lines of [
      [...first, ...second],
      [first[0], second[0], first[1], second[1]],
    ]) {
      const found = scanned(lines.join('\n'));
      expect(found.summary).to.deep.include({ failures: 2, failedOpen: 2 });
      expect(of(found, 'a.example.com').causes.map(({ count }) => count)).to.deep.equal([2]);
    }
    // Before 1.32 the second line has no name.
    const old = [first[0], `E0228 10:00:00.537899       1 dispatcher.go:71] ${refused}`];
    expect(scanned(old.join('\n')).summary.failures).to.equal(1);
  });

  it('counts what only looks like a repetition', () => {
    const closed = klog('10:00:01', `Failed calling webhook, failing closed a.example.com: ${refused}`);
    expect(scanned([...opened('10:00:00'), closed, closed].join('\n')).summary).to.deep.include({
      failures: 3,
      failedOpen: 1,
    });
    const other = klog('10:00:00', refused.replace('connection refused', 'no route to host'));
    expect(scanned([opened('10:00:00')[0], other].join('\n')).summary.failures).to.equal(2);
  });

  it('counts dry runs of an audit log separately, and its own among them', () => {
    const failed = (over: object): string =>
      audit({ ...status(`Internal error occurred: ${refused}`, 500), ...over });
    const uri = '/api/v1/namespaces/shop/configmaps?fieldManager=x&dryRun=All';
    const dry = failed({ requestURI: uri, userAgent: 'kubectl/v1.35.4' });
    const lines = [
      failed({}),
      dry,
      failed({ requestURI: uri, userAgent: 'kubectl-webhook' }),
      // As Go writes it, and truncated.
      `${dry.replaceAll('&', '\\u0026').slice(0, -2)}`,
      audit({
        requestURI: uri,
        annotations: { [failedOpenKey('validating', { round: 0, index: 0 })]: 'a.example.com' },
      }),
    ];
    const found = scanned(lines.join('\n'));
    expect(found.summary).to.deep.equal({
      failures: 1,
      failedOpen: 0,
      denials: 0,
      dryRuns: 4,
      ownDryRuns: 1,
    });
    expect(of(found, 'a.example.com').dryRuns.count).to.equal(4);
  });

  it('prints the meaning of each failure, and commands', () => {
    const causes = () => [{ id: 'no-ready-endpoint', title: 'None' }];
    const { take, end } = scanner(now, causes);
    take(Buffer.from(klog('10:00:00', refused)));
    const [callout] = end().callouts;
    expect(callout?.causes[0]).to.deep.include({
      checks: ['no-ready-endpoint'],
      commands: [
        'kubectl webhook doctor a.example.com',
        'kubectl webhook checks no-ready-endpoint',
        'kubectl -n shop get pods',
      ],
    });
    expect(callout?.causes[0]?.means).to.include('cannot connect');
  });

  it('distinguishes a log from other text', () => {
    for (const log of [
      klog('10:00:00', 'all is well'),
      '2026-02-28T10:00:00Z INFO all is well',
      '[pod/a/b] 2026/02/28 10:00:00 all is well',
      'Feb 28 10:00:00 node kubelet[1]: all is well',
      'time="2026-02-28T10:00:00Z" level=info msg=well',
      '{"level":"info","ts":1772272800.5,"msg":"all is well"}',
      audit({}),
      '{"apiVersion":"v1","items":[],"kind":"List"}',
      'LAST SEEN   TYPE      REASON   OBJECT   MESSAGE',
    ])
      expect(scanned(log).kind, log).to.equal('log');
    for (const text of [
      'all is well',
      '{\n  "name": "package",\n  "version": "1.0.0"\n}',
      'apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: "2026-02-28T10:00:00Z"',
    ])
      expect(scanned(text).kind, text).to.equal('text');
    expect(scanned('x509: certificate signed by unknown authority').matches?.[0]?.link).to.equal('tls');
    expect(scanned('certificate problem: unknown authority signed it').nearest?.says).to.include('authority');
  });

  it('decides that early, whatever the text', () => {
    const began = performance.now();
    for (const piece of ['.', ' ', '\n', '{', '. ', '"ts', 'a: ', '{"a":'])
      expect(scanned(piece.repeat(65_536 / piece.length)).kind, piece).to.equal('text');
    // Quadratic time would exceed this.
    expect(performance.now() - began).to.be.lessThan(20_000);
  });

  it('assumes the latest year that is not in the future', () => {
    const found = scanned(`W1231 23:59:00.000000 1 x.go:1] ${refused}`);
    expect(of(found, 'a.example.com').failures.first).to.equal('2025-12-31T23:59:00.000Z');
  });

  it('reads JSON logs of klog and of controllers', () => {
    const found = scanned(
      [
        JSON.stringify({
          ts: 1772272800.5,
          v: 0,
          msg: `Failed calling webhook, failing open a.example.com: ${refused}\n`,
        }),
        JSON.stringify({
          level: 'error',
          ts: '2026-02-28T10:00:10Z',
          msg: 'Reconciler error',
          error: `Internal error occurred: ${refused}`,
        }),
        JSON.stringify({
          log: `E0228 10:00:20.000000 1 x.go:1] ${refused}\n`,
          stream: 'stderr',
          time: '2026-02-28T10:00:20Z',
        }),
      ].join('\n'),
    );
    const { failures, failedOpen } = of(found, 'a.example.com');
    expect(failures).to.deep.equal({
      count: 3,
      first: '2026-02-28T10:00:00.500Z',
      last: '2026-02-28T10:00:20.000Z',
    });
    expect(failedOpen.count).to.equal(1);
  });

  it('reads audit logs: responses and annotations, of the last stage only', () => {
    const opened = {
      [failedOpenKey('validating', { round: 0, index: 0 })]: 'v.example.com',
      [failedOpenKey('mutating', { round: 1, index: 3 })]: 'm.example.com',
    };
    const found = scanned(
      [
        audit(status(`Internal error occurred: ${refused}`, 500)),
        audit({ ...status(`Internal error occurred: ${refused}`, 500), stage: 'ResponseStarted' }),
        audit(status('admission webhook "d.example.com" denied the request: no', 403)),
        audit({ annotations: opened }),
      ].join('\n'),
    );
    expect(found.summary).to.deep.include({ failures: 3, failedOpen: 2, denials: 1 });
    expect(of(found, 'a.example.com').failures.count).to.equal(1);
    expect(of(found, 'd.example.com').denials.count).to.equal(1);
    expect(of(found, 'v.example.com').causes[0]?.cause).to.equal('unknown');
    expect(of(found, 'm.example.com').failedOpen.first).to.equal('2026-02-28T10:00:00.000Z');
  });

  it('ignores objects in request bodies', () => {
    const requestObject = {
      message: `Internal error occurred: ${refused}`,
      annotations: { 'failed-open.x': 'y' },
    };
    expect(scanned(audit({ requestObject })).callouts).to.deep.equal([]);
    expect(scanned(audit({ requestObject }).slice(0, -3)).callouts).to.deep.equal([]);
  });

  for (const [name, indent] of [
    ['as kubectl prints it', 4],
    ['in one line', undefined],
  ] as const)
    it(`reads a list of events ${name}`, () => {
      const items = [event(`Error creating: ${refused}`), event('Created Pod "x"'), event('{ "] } ')];
      const found = scanned(JSON.stringify({ apiVersion: 'v1', items, kind: 'List' }, null, indent), 7);
      const { failures, histogram } = of(found, 'a.example.com');
      expect(failures).to.deep.equal({
        count: 40,
        first: '2026-02-28T09:00:00.000Z',
        last: '2026-02-28T11:00:00.000Z',
      });
      expect(histogram?.counts.reduce((sum, count) => sum + count, 0)).to.equal(40);
      expect(found).to.deep.include({ examined: 3, damaged: 0 });
    });

  it('reads events line by line, and from a watch', () => {
    const found = scanned(
      [
        JSON.stringify(event(`Error creating: ${refused}`, { count: 2 })),
        JSON.stringify({ type: 'ADDED', object: event(`Error creating: ${refused}`, { count: 3 }) }),
      ].join('\n'),
    );
    expect(of(found, 'a.example.com').failures.count).to.equal(5);
  });

  it('reads conversions', () => {
    const found = scanned(
      klog(
        '10:00:00',
        'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://w.shop.svc:443/?timeout=30s": EOF',
      ),
    );
    expect(of(found, 'Widget in example.com/v1')).to.deep.include({ kind: 'conversion' });
  });

  it('loses no other records to cut, mixed, binary or very large ones', () => {
    const good = klog('10:00:00', refused);
    const found = scanned(
      [
        good,
        audit(status(`Internal error occurred: ${refused}`, 500)).slice(0, -40),
        `${audit({}).slice(0, 100)}${good}`,
        '\u0000\u0001\ufffd{{{[[[ alling webhook "',
        '{"alling webhook": ',
        `{"a":${'['.repeat(20_000)} alling webhook`,
        'x'.repeat(9_000_000),
        good,
      ].join('\n'),
      65_536,
    );
    expect(of(found, 'a.example.com').failures.count).to.equal(4);
    expect(found.damaged).to.be.greaterThan(1);
  });

  it('finds the same in chunks of any size', () => {
    const text = [
      klog('10:00:00', refused),
      'nothing',
      audit(status(`Internal error occurred: ${refused}`, 500)),
      '',
      klog('10:00:02', 'admission webhook "ä.example.com" denied the request: nö'),
    ].join('\n');
    const whole = scanned(text);
    expect(whole.summary).to.deep.include({ failures: 2, failedOpen: 0, denials: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), (pieces) => {
        expect(scanned(text, pieces)).to.deep.equal(whole);
      }),
      { numRuns: 50 },
    );
  });

  it('never throws, whatever it reads', () => {
    const word = fc.constantFrom(
      'alling webhook',
      '{',
      '}',
      '"items":[',
      '\n',
      '"',
      '\\',
      refused,
      'audit.k8s.io/',
      ':',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 30 }), (words) => {
        scanned(words.join(''), 5);
      }),
      { numRuns: 300 },
    );
  });

  it('counts callouts beyond its limit together', () => {
    const lines = Array.from({ length: 1_500 }, (_, index) =>
      refused.replace('a.example.com', `w${index}.example.com`),
    );
    const found = scanned(lines.join('\n'));
    expect(found.callouts).to.have.length(1_000);
    expect(found.notKept).to.equal(500);
    expect(found.summary).to.deep.include({ failures: 1_500, failedOpen: 0, denials: 0 });
  });

  it('has a histogram of few bars over years', () => {
    const lines = Array.from(
      { length: 30 },
      (_, index) => `20${index + 10 > 25 ? 25 : index + 10}-01-01T00:00:00Z ${refused}`,
    );
    const { histogram } = of(scanned(lines.join('\n')), 'a.example.com');
    expect(histogram?.counts.length).to.be.within(2, 60);
    expect(histogram?.counts.reduce((sum, count) => sum + count, 0)).to.equal(30);
  });

  it('finds nothing in empty input', () => {
    expect(scanned('')).to.deep.equal({
      bytes: 0,
      examined: 0,
      damaged: 0,
      kind: 'text',
      callouts: [],
      matches: [],
      notKept: 0,
      summary: { failures: 0, failedOpen: 0, denials: 0, dryRuns: 0, ownDryRuns: 0 },
    });
  });
});
