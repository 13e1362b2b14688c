import { expect } from 'chai';
import { notTriedAt } from '../../src/diagnose/coverage.ts';
import { calloutId } from '../../src/facts/callout.ts';
import { complete, nothingRead } from '../../src/facts/lookup.ts';
import type { CalloutProbes, ReplicaProbe } from '../../src/facts/probes.ts';
import type { Unread } from '../../src/facts/unread.ts';
import { webhook } from '../support/snapshot.ts';

const callout = webhook();
const replica = (...notTried: readonly Unread[]): ReplicaProbe => ({
  port: 8443,
  ready: true,
  dialogues: [],
  notTried,
});
const of = (notTried: readonly Unread[], replicas: readonly ReplicaProbe[]) => {
  const probes: CalloutProbes = { level: 'review', serverName: 'policy.shop.svc', replicas, notTried };
  return notTriedAt(callout, { probes: complete([[calloutId(callout), probes]]) });
};

describe('what probes did not test', () => {
  it('is printed once per reason, with names', () => {
    const bare = (what: string): Unread => ({ what, why: 'not-requested', detail: 'no Pod stands for it' });
    const review: Unread = { what: 'a review', why: 'not-requested', detail: 'it may have side effects' };
    const told = of(
      [review],
      [1, 2, 3, 4, 5].map((at) => replica(bare(`192.0.2.${at}:8443`))),
    );
    expect(told).to.deep.equal([
      { what: 'a review', why: 'it may have side effects' },
      { what: '192.0.2.1:8443, 192.0.2.2:8443, 192.0.2.3:8443 and 2 more', why: 'no Pod stands for it' },
    ]);
  });

  it('contains why a method failed', () => {
    const broken: Unread = {
      what: 'port-forward to Pod shop/policy-1',
      why: 'unreachable',
      detail: 'no kubelet',
    };
    expect(of([], [replica(broken)])).to.deep.equal([{ what: broken.what, why: 'no kubelet' }]);
  });

  it('leaves permissions and time to the line for all of them', () => {
    const forbidden: Unread = { what: 'pods/proxy', why: 'forbidden', detail: 'no' };
    const late: Unread = { what: 'a review', why: 'timeout' };
    expect(of([forbidden], [replica(late)])).to.deep.equal([]);
  });

  it('is empty if there was nothing to test', () => {
    const probes = nothingRead<CalloutProbes>({ what: 'probes', why: 'not-requested' });
    expect(notTriedAt(callout, { probes })).to.deep.equal([]);
  });
});
