import { expect } from 'chai';
import { connectionErrorText, timeoutText } from '../../../src/apiserver/connection/connection-error-text.ts';
import { readingOf, readings, replicaObservations } from '../../../src/apiserver/connection/triangulation.ts';
import { nextCall } from '../../../src/apiserver/next-call/next-call.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import {
  allows,
  dryRun,
  ended,
  http,
  json,
  proxySays,
  refused,
  responding,
  type Tried,
  tried,
  triedUrl,
} from '../../checks/probed.ts';
import { conversion, lists, snapshotOf } from '../../support/snapshot.ts';

const post =
  'failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ';
const refusal = `${post}dial tcp 203.0.113.10:443: connect: connection refused`;

const ask = (replicas: readonly Tried[], more: Parameters<typeof tried>[1] = {}) => {
  const { facts } = snapshotOf(tried(replicas, more));
  const [callout] = facts.callouts;
  if (callout === undefined) throw new Error('no callout');
  return nextCall(callout, facts);
};

describe('triangulation', () => {
  it('covers every combination of paths', () => {
    for (const inside of replicaObservations)
      for (const outside of replicaObservations) expect(readingOf(inside, outside)).to.include.keys('means');
  });
  it('uses every row', () => {
    const reached = new Set(
      replicaObservations.flatMap((inside) =>
        replicaObservations.map((outside) => readingOf(inside, outside)),
      ),
    );
    expect([...reached]).to.have.members([...readings]);
  });
});

describe('the error of a call that fails like a probe', () => {
  it('depends on the timeout if there is no response', () => {
    expect(timeoutText(5, 'tls')).to.equal('context deadline exceeded');
    expect(timeoutText(15, 'tls')).to.equal('net/http: TLS handshake timeout');
    expect(timeoutText(10, 'tls')).to.equal(undefined);
    expect(timeoutText(29, 'connect')).to.equal('context deadline exceeded');
    expect(timeoutText(30, 'http')).to.equal(undefined);
  });
  it('is not certain if it contains a port of the API server', () => {
    expect(connectionErrorText({ kind: 'reset', stage: 'tls' }, 10, '203.0.113.10:443')).to.equal(undefined);
  });
});

describe('nextCall with probes', () => {
  it('is confirmed to succeed if every replica responds', () => {
    expect(ask([allows, allows])).to.deep.equal({ outcome: 'succeeds', sentences: [], observed: true });
  });
  it('fails for some, with the errors of those that fail', () => {
    expect(ask([allows, refused])).to.deep.equal({
      outcome: 'fails-for-some',
      link: 'replica',
      sentences: [refusal],
      sentence: refusal,
      observed: true,
    });
  });
  it('fails for some requests if the server refuses dry runs, which other requests are not', () => {
    const only = http(500, 'this webhook does not support dry run');
    expect(ask([only])).to.include({ outcome: 'fails-for-some', link: 'response' });
    expect(ask([only, http(500, 'nil pointer')])).to.include({ outcome: 'fails' });
    for (const text of ['see https://policies.example.com/sundry/run', 'cannot decode {"dryRun":true}'])
      expect(ask([http(500, text)])).to.include({ outcome: 'fails' });
  });
  it('fails in one direction if the API server reads a stored object in another version', () => {
    const more = { dryRun: dryRun(), facts: { callouts: [conversion()] } };
    const response = { uid: 'uid', result: { status: 'Failure', message: 'cannot convert' } };
    const review = json({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response });
    const unconverted = responding(review, { operation: 'CONVERT', resource: 'widgets' });
    expect(ask([unconverted], more)).to.include({ outcome: 'fails-for-some', link: 'response' });
    const error = http(500, 'cannot convert');
    expect(ask([error], more), 'an error of any review').to.include({ outcome: 'fails', link: 'response' });
  });
  it('is inferred from objects if one replica was not probed', () => {
    const call = ask([{}, refused]);
    expect(call.outcome).to.equal('fails-for-some');
    expect(call).to.not.have.property('observed');
  });
  it('names the link at which most calls fail', () => {
    expect(ask([http(500, 'x'), http(404, 'x'), refused])).to.include({ outcome: 'fails', link: 'response' });
  });
  it('has a separate error for an incomplete response', () => {
    const [connection] = allows.dialogues ?? [];
    const failure = { stage: 'body', kind: 'timed-out', text: 'nothing came', milliseconds: 10_000 } as const;
    const reviews = (connection?.reviews ?? []).map(({ answer: _, ...review }) => ({ ...review, failure }));
    expect(ask([{ ...allows, dialogues: [{ ...connection, reviews }] as never }])).to.include({
      outcome: 'fails',
      sentence:
        'failed calling webhook "policy.example.com": failed to call webhook: unexpected error when reading response body. Please retry. Original error: context deadline exceeded',
    });
  });
  it('uses the failed port-forward if the control plane is refused', () => {
    expect(ask([{ ...allows, proxy: proxySays('No agent available') }])).to.include({
      outcome: 'fails',
      link: 'network',
      sentence: `${post}No agent available`,
    });
  });
  it('does not blame the network for a proxy timeout if the process is slow or hangs', () => {
    const [connection] = allows.dialogues ?? [];
    const taking = (milliseconds: number) => ({
      dialogues: [
        {
          ...connection,
          reviews: (connection?.reviews ?? []).map((review) => ({ ...review, milliseconds })),
        },
      ] as NonNullable<Tried['dialogues']>,
      proxy: proxySays(''),
    });
    expect(ask([taking(4000)])).to.include({ outcome: 'succeeds' });
    expect(ask([taking(11_000)])).to.include({ outcome: 'fails', link: 'response' });
    expect(ask([taking(40)])).to.include({ outcome: 'fails', link: 'network' });
  });
  it('does not report a process as down if it responds to the proxy and refuses the port-forward', () => {
    const reached = { ...refused, proxy: { ...proxySays(''), reached: true, status: 200 } };
    expect(ask([reached])).to.include({ outcome: 'succeeds' });
  });
  it('is undecided after a timeout at an unknown stage', () => {
    expect(ask([{ proxy: proxySays('') }])).to.not.have.property('observed');
  });
  it('uses the probe of the Pod that has the address of a replica', () => {
    const atAddress = (one: Tried): NonNullable<Tried['dialogues']> =>
      (one.dialogues ?? []).map((connection) => ({ ...connection, way: 'direct' as const }));
    const inside = allows.dialogues ?? [];
    const open = atAddress(allows);
    const closed = atAddress(ended({ stage: 'connect', kind: 'refused' }));
    const silent = atAddress(ended({ stage: 'connect', kind: 'timed-out' }));
    const refusal = proxySays('dial tcp 198.51.100.11:8443: connect: connection refused');
    expect(ask([{ dialogues: open }])).to.include({ outcome: 'succeeds', observed: true });
    // Packets of the control plane are lost or refused if only Pods get a response.
    expect(ask([{ dialogues: open, proxy: proxySays('') }])).to.include({
      outcome: 'fails',
      link: 'network',
    });
    expect(ask([{ dialogues: open, proxy: refusal }])).to.include({ outcome: 'fails', link: 'network' });
    expect(ask([{ dialogues: closed }])).to.include({ outcome: 'fails', link: 'replica', observed: true });
    expect(ask([{ dialogues: [...inside, ...closed] }])).to.include({ outcome: 'fails', link: 'replica' });
    // A NetworkPolicy may block this machine and allow the control plane.
    expect(ask([{ dialogues: silent }])).to.not.have.property('observed');
    expect(ask([{ dialogues: [...inside, ...silent] }])).to.include({ outcome: 'succeeds', observed: true });
    const reached = { ...proxySays(''), reached: true, status: 200 };
    expect(ask([{ dialogues: closed, proxy: reached }])).to.include({ outcome: 'succeeds' });
    expect(ask([{ dialogues: silent, proxy: reached }])).to.include({ outcome: 'succeeds' });
  });
  it('is unknown if the run ended before a replica responded', () => {
    const cut = [{ what: 'port-forward', why: 'timeout', detail: 'interrupted' }] as const;
    const connections = [{ ...allows.dialogues?.[0], reviews: [], cutShort: true }] as NonNullable<
      Tried['dialogues']
    >;
    expect(ask([{ notTried: cut }])).to.include({ outcome: 'unknown', unread: cut[0] });
    expect(ask([allows, { notTried: cut }])).to.include({ outcome: 'unknown', unread: cut[0] });
    expect(ask([{ dialogues: connections, notTried: cut }])).to.include({
      outcome: 'unknown',
      unread: cut[0],
    });
    expect(ask([refused, { notTried: cut }])).to.include({ outcome: 'fails-for-some' });
    expect(ask([{ ...allows, notTried: cut }])).to.include({ outcome: 'succeeds', observed: true });
    expect(ask([{ notTried: cut }], { dryRun: dryRun() })).to.include({ outcome: 'succeeds' });
    expect(ask([{}], { notTried: cut })).to.include({ outcome: 'unknown', unread: cut[0] });
    expect(ask([allows], { notTried: cut })).to.include({ outcome: 'succeeds', observed: true });
    const why = 'forbidden';
    expect(ask([{ notTried: [{ what: 'port-forward', why }] }])).to.include({ outcome: 'succeeds' });
  });
  it('ignores terminating replicas', () => {
    const { facts } = snapshotOf(tried([allows], { dryRun: dryRun() }));
    const slices = facts.endpointSlices.get('shop/policy') ?? [];
    const leaving = slices.map((slice) => ({
      ...slice,
      endpoints: (slice.endpoints ?? []).map((endpoint) => ({
        ...endpoint,
        conditions: { ready: false, serving: true, terminating: true },
      })),
    }));
    const endpointSlices = lists({ 'shop/policy': leaving });
    const [clusterIp, endpoints] = (['cluster-ip', 'endpoints'] as const).map((mode) =>
      nextCall(facts.callouts[0] as never, { ...facts, endpointSlices, routing: { mode } }),
    );
    expect(clusterIp).to.deep.equal({ outcome: 'succeeds', sentences: [] });
    expect(endpoints).to.include({ outcome: 'fails', link: 'backend' });
  });
  it('remains failing for a replica if a dry run succeeds over a keep-alive connection', () => {
    expect(ask([refused], { dryRun: dryRun() })).to.include({ outcome: 'fails', sentence: refusal });
  });
  it('has the error of the API server’s own call', () => {
    const said = `${post}x509: certificate signed by unknown authority`;
    const call = ask([allows], { dryRun: dryRun(`Internal error occurred: ${said}`) });
    expect(call).to.include({ outcome: 'fails', link: 'tls', sentence: said, observed: true });
  });
  it('prefers the certain error of a replica to a dry run that timed out', () => {
    const call = ask([refused], {
      dryRun: dryRun(`Internal error occurred: ${post}context deadline exceeded`),
    });
    expect(call.sentences[0]).to.equal(refusal);
  });
  it('counts a closed connection as one of several if all replicas respond', () => {
    const call = ask([allows], { dryRun: dryRun(`Internal error occurred: ${post}EOF`) });
    expect(call.outcome).to.equal('fails-for-some');
  });
  it('ignores a dry run about another webhook', () => {
    const other =
      'Internal error occurred: failed calling webhook "other.example.com": failed to call webhook: EOF';
    expect(ask([allows], { dryRun: dryRun(other) }).outcome).to.equal('succeeds');
  });
  it('uses the response of a URL’s server, and not a failure on the path from this machine', () => {
    const at = (connection: NonNullable<CalloutProbes['url']>) => {
      const { facts } = snapshotOf(triedUrl(connection));
      return nextCall(facts.callouts[0] as never, facts).outcome;
    };
    const [silent] = ended({ stage: 'connect', kind: 'timed-out' }).dialogues ?? [];
    const [wrong] = http(404, 'x').dialogues ?? [];
    const [right] = allows.dialogues ?? [];
    expect([silent, wrong, right].map((one) => at(one as never))).to.deep.equal([
      'unknown',
      'fails',
      'succeeds',
    ]);
  });
});
