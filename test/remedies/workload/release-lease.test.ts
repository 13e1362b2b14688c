import { releaseLease } from '../../../src/remedies/workload/release-lease.ts';
import { lease, leases, refused, tried } from '../../checks/probed.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { lists, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const holder = 'policy-bcd-zzzzz_0a1b';
const left = (over: object = {}, by = holder) =>
  leases(lease(by, { renewTime: '2025-12-31T23:55:00.000000Z', leaseDurationSeconds: 3600, ...over }));

describeRemedy(releaseLease, {
  plans: [
    {
      name: 'a Lease without a holder',
      facts: tried([refused], { facts: left() }),
      expect: {
        edits: [
          {
            object: { kind: 'Lease', namespace: 'shop', name: 'policy-leader' },
            operation: 'patch',
            path: '/spec/holderIdentity',
            expected: holder,
            after: '',
          },
        ],
        summary: /^Lease shop\/policy-leader is free: its holder policy-bcd-zzzzz_0a1b does not exist$/,
        warns: [/two leaders/],
      },
    },
  ],
  doesNotFit: [
    { name: 'its holder exists', facts: tried([refused], { facts: left({}, 'policy-1_x') }) },
    {
      name: 'it was renewed a moment ago',
      facts: tried([refused], { facts: left({ renewTime: '2025-12-31T23:59:50.000000Z' }) }),
    },
    { name: 'it has expired', facts: tried([refused], { facts: left({ leaseDurationSeconds: 15 }) }) },
    {
      name: 'its holder is of another workload',
      facts: tried([refused], { facts: left({}, 'other-bcd-zzzzz_x') }),
    },
    {
      name: 'Leases were not read',
      facts: tried([refused], { facts: { leases: forbidden('leases') } }),
    },
    {
      name: 'a URL is called',
      facts: { callouts: [webhook({ client: { url: 'https://a.example' } })], leases: lists({}) },
    },
  ],
});
