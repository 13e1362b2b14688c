import { expect } from 'chai';
import { consequenceOf, obeysFailurePolicy } from '../../../src/apiserver/admission/failure-policy.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { webhook } from '../../support/snapshot.ts';
import { failedOpenKey, mutationKey, type RecordedEnd, recordsOf } from './call-records.ts';

const place = { round: 0, index: 3 } as const;
const ends = {
  allowed: { outcome: 'allowed' },
  denied: { outcome: 'denied', code: 403, reason: 'Forbidden', message: 'no' },
  failed: { outcome: 'call-failure', text: 'failed calling webhook "policy.example.com": x', code: 503 },
  canceled: { outcome: 'call-failure', text: 'x', code: 503, canceled: true },
  broken: { outcome: 'api-server-error', text: 'Internal error occurred: x' },
  noDryRun: { outcome: 'api-server-error', text: 'x does not support dry run', code: 400 },
} as const satisfies Record<string, RecordedEnd>;

const follows = (end: RecordedEnd, over: Partial<AdmissionCallout> = {}) => ({
  ...consequenceOf(end, webhook(over)),
  ...recordsOf(end, webhook(over), place, 'CREATE'),
});
const metrics = (end: RecordedEnd, over: Partial<AdmissionCallout> = {}) =>
  follows(end, over).metrics.map(({ metric, labels }) => `${metric} ${Object.values(labels).join(' ')}`);

describe('results to which failurePolicy applies', () => {
  it('are call failures only', () => {
    const obeying = Object.entries(ends).filter(([, end]) => obeysFailurePolicy(end));
    expect(obeying.map(([name]) => name)).to.deep.equal(['failed', 'canceled']);
  });

  const rows: readonly [keyof typeof ends, 'Fail' | 'Ignore', string | undefined][] = [
    ['allowed', 'Fail', undefined],
    ['allowed', 'Ignore', undefined],
    ['denied', 'Fail', '403 Forbidden no'],
    ['denied', 'Ignore', '403 Forbidden no'],
    [
      'failed',
      'Fail',
      '500 InternalError Internal error occurred: failed calling webhook "policy.example.com": x',
    ],
    ['failed', 'Ignore', undefined],
    ['broken', 'Fail', '500 InternalError Internal error occurred: x'],
    ['broken', 'Ignore', '500 InternalError Internal error occurred: x'],
    ['noDryRun', 'Ignore', '400 BadRequest x does not support dry run'],
  ];
  for (const [end, failurePolicy, told] of rows) {
    it(`${end} with ${failurePolicy}: ${told === undefined ? 'continues' : 'stops'}`, () => {
      const { answer, failedOpen } = follows(ends[end], { failurePolicy });
      const said = answer && `${answer.code} ${answer.reason} ${answer.message}`;
      expect(said).to.equal(told);
      expect(failedOpen).to.equal(end === 'failed' && failurePolicy === 'Ignore');
    });
  }
});

describe('audit log and metrics of a call', () => {
  it('a call that failed open: its name in the audit log, one more in fail_open_count', () => {
    const open = { failurePolicy: 'Ignore' } as const;
    expect(follows(ends.failed, open).audit).to.deep.equal({
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_3': 'policy.example.com',
    });
    expect(metrics(ends.failed, open)).to.deep.equal([
      'request_total policy.example.com validating CREATE 503 false',
      'fail_open_count policy.example.com validating',
    ]);
    expect(follows(ends.failed, open).log).to.match(
      /^Failed calling webhook, failing open policy\.example\.com: failed/,
    );
  });

  it('a mutating call: whether it changed the object', () => {
    const mutating = { kind: 'mutating', failurePolicy: 'Ignore' } as const;
    const value = (mutated: boolean) =>
      `{"configuration":"policy","webhook":"policy.example.com","mutated":${mutated}}`;
    expect(follows({ outcome: 'allowed', changed: true }, mutating).audit).to.deep.equal({
      'mutation.webhook.admission.k8s.io/round_0_index_3': value(true),
    });
    expect(follows(ends.failed, mutating).audit).to.deep.equal({
      'mutation.webhook.admission.k8s.io/round_0_index_3': value(false),
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_3': 'policy.example.com',
    });
  });

  it('a client that disconnects: neither a rejection nor a fail-open', () => {
    expect(metrics(ends.canceled)).to.deep.equal([
      'request_total policy.example.com validating CREATE 503 true',
    ]);
    expect(metrics(ends.canceled, { failurePolicy: 'Ignore' })).to.deep.equal([
      'request_total policy.example.com validating CREATE 503 false',
    ]);
    expect(follows(ends.canceled, { failurePolicy: 'Ignore' }).audit).to.deep.equal({});
  });

  const counted: readonly [keyof typeof ends, string][] = [
    ['denied', 'rejection_count policy.example.com validating CREATE no_error 403'],
    ['failed', 'rejection_count policy.example.com validating CREATE calling_webhook_error 503'],
    ['broken', 'rejection_count policy.example.com validating CREATE apiserver_internal_error 0'],
  ];
  for (const [end, line] of counted) it(end, () => expect(metrics(ends[end])).to.include(line));

  it('codes above 600 as 600', () => {
    expect(metrics({ ...ends.denied, code: 999 })).to.deep.equal([
      'request_total policy.example.com validating CREATE 600 true',
      'rejection_count policy.example.com validating CREATE no_error 600',
    ]);
  });
});

describe('keys of the audit log', () => {
  it('contain round and place', () => {
    const second = { round: 1, index: 0 } as const;
    expect([failedOpenKey('mutating', second), mutationKey(second)]).to.deep.equal([
      'failed-open.mutation.webhook.admission.k8s.io/round_1_index_0',
      'mutation.webhook.admission.k8s.io/round_1_index_0',
    ]);
  });
});
