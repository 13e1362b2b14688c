import { expect } from 'chai';
import { nextCall } from '../../../src/apiserver/next-call/next-call.ts';
import { onlyDryRunsFail } from '../../../src/checks/response/only-dry-runs-fail.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { AdmittedWrite, DryRun } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { snapshotOf, webhook } from '../../support/snapshot.ts';
import {
  allows,
  blind,
  denies,
  dryRun,
  ended,
  http,
  proxySays,
  quiet,
  replica,
  type Tried,
  tried,
} from '../probed.ts';

const write = (over: Partial<AdmittedWrite> = {}): AdmittedWrite => ({
  object: { kind: 'ConfigMap', namespace: 'shop', name: 'cart' },
  apiVersion: 'v1',
  operation: 'CREATE',
  at: '2026-01-01T00:00:00.000Z',
  afterProbe: true,
  ...over,
});
const written = '2025-12-30T00:00:00Z';
const callout = webhook({
  metadata: { name: 'policy', managedFields: [{ manager: 'helm', operation: 'Update', time: written }] },
});
const running = (startedAt: string) =>
  replica(1, {
    status: {
      containerStatuses: [
        { name: 'webhook', ready: true, restartCount: 0, state: { running: { startedAt } } },
      ],
    },
  });

const admitting = (
  replicas: readonly Tried[],
  admittedWrite: AdmittedWrite,
  { startedAt = written, own }: { readonly startedAt?: string; readonly own?: DryRun } = {},
): Partial<Facts> => {
  const facts = tried(replicas, {
    ...(own && { dryRun: own }),
    facts: { callouts: [callout] },
    ...(replicas.length === 1 ? { pods: [running(startedAt)] } : {}),
  });
  const [probes] = [...(facts.probes?.all() ?? [])];
  return probes === undefined
    ? facts
    : { ...facts, probes: complete([[calloutId(callout), { ...probes, admittedWrite }]]) };
};
const panics = http(500, 'nil pointer');
const failed = dryRun(
  'Internal error occurred: failed calling webhook "policy.example.com": an error on the server ("nil pointer") has prevented the request from succeeding',
);
const unauthorized = http(401, 'client certificate required');
const forbidden = http(403, 'RBAC: access denied');
/** A server that closes the connection of a client without its certificate, after the handshake. */
const demandsCertificate: Tried = {
  ...panics,
  dialogues: (panics.dialogues ?? []).map((connection) => ({
    ...connection,
    reviews: connection.reviews.map(({ answer: _, ...review }) => ({
      ...review,
      failure: {
        stage: 'http',
        kind: 'alert',
        alert: 'certificate required',
        text: 'alert: certificate required',
        milliseconds: 4,
      },
    })),
  })),
};
const refused = ended({ stage: 'connect', kind: 'refused' }, proxySays('connection refused'));

describeCheck(onlyDryRunsFail, {
  reports: [
    {
      name: 'a write after every Pod had failed for the review',
      facts: admitting([panics, panics], write()),
      expect: {
        messageId: 'passes',
        confidence: 'observed',
        data: {
          replicas: 'both Pods',
          detail: 'nil pointer',
          operation: 'CREATE',
          object: 'ConfigMap shop/cart',
          time: '2026-01-01T00:00:00.000Z',
        },
      },
    },
    {
      name: 'a write although the own dry run fails, too',
      facts: admitting([panics], write(), { own: failed }),
      expect: { messageId: 'passes' },
    },
    {
      name: 'the last write before the review, by the same process: the verdict stays',
      facts: admitting([panics], write({ afterProbe: false })),
      expect: {
        messageId: 'passed',
        data: { operation: 'CREATE', object: 'ConfigMap shop/cart', time: '2026-01-01T00:00:00.000Z' },
      },
    },
  ],
  reportsNothing: [
    ...quiet,
    {
      name: 'the write is older than the process',
      facts: admitting([panics], write({ afterProbe: false, at: '2025-12-30T12:00:00.000Z' }), {
        startedAt: '2025-12-31T00:00:00Z',
      }),
      outcome: 'pass',
    },
    {
      name: 'the start of the process is not known',
      facts: admitting([panics, panics], write({ afterProbe: false })),
      outcome: 'pass',
    },
    ...[true, false].map((afterProbe) => ({
      name: `the write is of another operation than the review, ${afterProbe ? 'after' : 'before'} it`,
      facts: admitting([panics], write({ operation: 'UPDATE', afterProbe }), { own: failed }),
      outcome: 'pass' as const,
    })),
    {
      name: 'the own dry run passes',
      facts: admitting([panics], write(), { own: dryRun() }),
      outcome: 'pass',
    },
    ...[unauthorized, forbidden, demandsCertificate].flatMap((one, at) =>
      [undefined, dryRun()].map((own) => ({
        name: `the Pods refuse the program: ${at}, ${own === undefined ? 'without' : 'with'} an own call`,
        facts: admitting([one, one], write(), { ...(own && { own }) }),
        outcome: 'pass' as const,
      })),
    ),
    { name: 'one Pod responds', facts: admitting([panics, allows], write()), outcome: 'pass' },
    { name: 'the Pods deny', facts: admitting([denies('no'), denies('no')], write()), outcome: 'pass' },
    { name: 'the Pods cannot be reached', facts: admitting([refused, refused], write()), outcome: 'pass' },
  ],
  isUnknown: blind,
});

describe('the next call of a webhook that fails for reviews', () => {
  const outcomeOf = (facts: Partial<Facts>) => nextCall(callout, snapshotOf(facts).facts).outcome;
  it('fails only for some requests after a later write', () => {
    expect(outcomeOf(admitting([panics, panics], write()))).to.equal('fails-for-some');
  });
  it('fails after an earlier write', () => {
    expect(outcomeOf(admitting([panics, panics], write({ afterProbe: false })))).to.equal('fails');
  });
  it('fails after a write of another operation', () => {
    expect(outcomeOf(admitting([panics], write({ operation: 'UPDATE' }), { own: failed }))).to.equal('fails');
  });
  it('is as without the write if the Pods refuse the program', () => {
    for (const one of [unauthorized, forbidden, demandsCertificate])
      for (const own of [undefined, dryRun(), failed]) {
        const given = { ...(own && { own }) };
        const facts = admitting([one], write({ operation: 'UPDATE' }), given);
        expect(outcomeOf(admitting([one], write(), given))).to.equal(outcomeOf(facts));
      }
  });
  it('fails if the Pods cannot be reached', () => {
    expect(outcomeOf(admitting([refused, refused], write()))).to.equal('fails');
  });
});
