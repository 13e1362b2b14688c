import { leaderLeaseStale } from '../../../src/checks/replica/leader-lease-stale.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, blind, ended, lease, leases, quiet, refused, tried } from '../probed.ts';

const hourAgo = { renewTime: '2025-12-31T23:00:00.000000Z' };
const gone = lease('policy-bcd-zzzzz_0a1b2c3d-0000-4000-8000-000000000000', hourAgo);
const silent = ended({ stage: 'tls', kind: 'timed-out' });

describeCheck(leaderLeaseStale, {
  reports: [
    {
      name: 'a holder that is gone, while the replicas answer',
      facts: tried([allows, allows], { facts: leases(gone) }),
      expect: {
        messageId: 'gone',
        confidence: 'derived',
        data: { lease: 'shop/policy-leader', holder: gone.spec?.holderIdentity ?? '', seconds: 3585 },
      },
    },
    {
      name: 'a holder that does not renew',
      facts: tried([allows, silent], { facts: leases(lease('policy-2_x', hourAgo)) }),
      expect: { messageId: 'stuck' },
    },
    {
      name: 'that nobody serves while nobody leads',
      facts: tried([refused, refused], { facts: leases(gone) }),
      expect: { messageId: 'unserved', confidence: 'observed' },
    },
  ],
  staysSilent: [
    ...quiet,
    {
      name: 'it is renewed',
      facts: tried([refused], { facts: leases(lease('policy-1_x')) }),
      outcome: 'pass',
    },
    {
      name: 'it is of another workload',
      facts: tried([refused], { facts: leases(lease('other-bcd-zzzzz_x', hourAgo)) }),
    },
    { name: 'nobody ever held it', facts: tried([refused], { facts: leases(lease('', hourAgo)) }) },
    {
      name: 'these Pods hold another Lease',
      facts: tried([allows], {
        facts: leases(gone, { ...lease('policy-1_x'), metadata: { name: 'next', namespace: 'shop' } }),
      }),
    },
    { name: 'nobody looked at Leases', facts: tried([refused]) },
  ],
  cannotTell: blind,
});
