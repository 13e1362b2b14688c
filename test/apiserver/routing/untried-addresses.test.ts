import { expect } from 'chai';
import { nextCall } from '../../../src/apiserver/next-call/next-call.ts';
import { mayReachAnother, untriedAddresses } from '../../../src/apiserver/routing/untried-addresses.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { Service } from '../../../src/facts/objects/service.ts';
import type { DryRun } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { dryRun, tried } from '../../checks/probed.ts';
import { lists, objects, service, slice, snapshotOf, webhook } from '../../support/snapshot.ts';

const at = (address: string, ready = true): Endpoint => ({ addresses: [address], conditions: { ready } });
const ofPod: Endpoint = {
  ...at('198.51.100.7'),
  targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1' },
};
const two = [at('192.0.2.1'), at('192.0.2.2')];

const factsOf = (
  endpoints: readonly Endpoint[],
  asked: DryRun | undefined,
  spec: Partial<Service['spec']> = {},
): Facts =>
  snapshotOf({
    ...tried([], asked === undefined ? {} : { dryRun: asked }),
    endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }),
    services: objects(service({ selector: {}, ...spec })),
  }).facts;
const call = (facts: Facts) => nextCall(webhook(), facts);

const said = (words: string): string =>
  `failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": ${words}`;
const refused = said('dial tcp 203.0.113.10:443: connect: connection refused');
const fails = dryRun(`Internal error occurred: ${refused}`);

describe('addresses that cannot be probed one by one', () => {
  it('are those without a Pod, if a call can reach several', () => {
    expect(untriedAddresses(webhook(), factsOf(two, undefined))?.what).to.match(/^each of the 2 addresses/);
    expect(untriedAddresses(webhook(), factsOf([...two, ofPod], undefined))?.what).to.match(
      /^each of the 3 addresses/,
    );
    expect(untriedAddresses(webhook(), factsOf([at('192.0.2.1')], undefined))).to.equal(undefined);
    expect(
      untriedAddresses(webhook(), factsOf([at('192.0.2.1'), at('192.0.2.2', false)], undefined)),
    ).to.equal(undefined);
    expect(
      untriedAddresses(webhook(), factsOf([ofPod, { ...ofPod, addresses: ['198.51.100.8'] }], undefined)),
    ).to.equal(undefined);
  });
  it('fail for some, which is not confirmed, after a failed connection for another webhook', () => {
    const probes = tried([], { dialError: 'dial tcp 203.0.113.10:443: connect: connection refused' }).probes;
    const facts: Facts = { ...factsOf(two, undefined), ...(probes === undefined ? {} : { probes }) };
    const found = call(facts);
    expect(found).to.include({ outcome: 'fails-for-some', link: 'replica' });
    expect(found.observed).to.equal(undefined);
  });
  it('are unknown after one success', () => {
    const passed = call(factsOf(two, dryRun()));
    expect(passed).to.include({ outcome: 'unknown' });
    expect(passed.unread).to.include({ why: 'unreachable' });
  });
  it('fail for some after one failure', () => {
    const found = call(factsOf(two, fails));
    expect(found).to.include({ outcome: 'fails-for-some', link: 'replica', observed: true });
    expect(found.sentences).to.deep.equal([refused]);
  });
  it('fail for some after one failure to verify a certificate, and all after further ones', () => {
    const untrusted = said(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    const once = dryRun(`Internal error occurred: ${untrusted}`);
    expect(call(factsOf(two, once))).to.include({ outcome: 'fails-for-some', link: 'tls', observed: true });
    const thrice = call(factsOf(two, { ...once, failsAgain: true }));
    expect(thrice).to.include({ outcome: 'fails', link: 'tls', observed: true });
  });
  it('all fail if all further calls failed as well', () => {
    const facts = factsOf(two, { ...fails, failsAgain: true });
    expect(call(facts)).to.include({ outcome: 'fails', link: 'replica', sentence: refused, observed: true });
    expect(mayReachAnother(webhook(), facts)).to.equal(false);
  });
  it('are not reached by another call if calls of one client reach the same address', () => {
    expect(mayReachAnother(webhook(), factsOf(two, undefined))).to.equal(true);
    const facts = factsOf(two, undefined, { sessionAffinity: 'ClientIP' });
    expect(mayReachAnother(webhook(), facts)).to.equal(false);
  });
  it('need one call if there is only one', () => {
    expect(call(factsOf([at('192.0.2.1')], fails))).to.include({ outcome: 'fails' });
    expect(call(factsOf([at('192.0.2.1')], dryRun()))).to.include({ outcome: 'succeeds' });
  });
});
