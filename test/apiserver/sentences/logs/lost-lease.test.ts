import { expect } from 'chai';
import { lostLease } from '../../../../src/apiserver/sentences/logs/lost-lease.ts';

const lost =
  'E0613 10:00:12.000001 1 leaderelection.go:306] "Failed to renew lease" lease="shop/policy" err="timed out waiting for the condition"';
const failed = (why: string): string =>
  `E0613 10:00:05.000001 1 leaderelection.go:436] error retrieving resource lock shop/policy: ${why}\n${lost}`;

const updating =
  'E0613 10:00:05.000001 1 leaderelection.go:488] "Failed to update lease" err="leases.coordination.k8s.io is forbidden"';

describe('a Lease that a leader lost to a slow API server', () => {
  for (const why of [
    'Get "https://203.0.113.1:443/apis/coordination.k8s.io/v1/namespaces/shop/leases/policy": context deadline exceeded',
    'etcdserver: request timed out',
  ])
    it(`by the log: ${why}`, () => {
      expect(lostLease(failed(why))).to.equal('shop/policy');
    });
  it('not without permission to update it', () => {
    expect(lostLease(`${updating}\n${lost}`)).to.equal(undefined);
  });
  it('by the renewal alone', () => {
    expect(lostLease(`failed to renew lease shop/policy: timed out waiting for the condition`)).to.equal(
      'shop/policy',
    );
  });
  for (const why of [
    'leases.coordination.k8s.io "policy" is forbidden: User "system:serviceaccount:shop:policy" cannot get resource "leases"',
    'Get "https://203.0.113.1:443/": dial tcp 203.0.113.1:443: i/o timeout',
    'Unauthorized',
  ])
    it(`not for another reason: ${why}`, () => {
      expect(lostLease(failed(why))).to.equal(undefined);
    });
});
