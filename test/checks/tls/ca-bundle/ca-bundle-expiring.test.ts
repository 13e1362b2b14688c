import { caBundleExpiring } from '../../../../src/checks/tls/ca-bundle/ca-bundle-expiring.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { healthy } from '../../../support/snapshot.ts';
import { anchor, trusting } from '../bundles.ts';

const other = { subject: { cn: 'other-ca' } };

describeCheck(caBundleExpiring, {
  reports: [
    {
      name: 'ten days of ten years',
      facts: trusting(anchor(-3640, 10)),
      expect: { messageId: 'expiring', data: { left: '10 days', day: '2026-01-11', name: 'root-ca' } },
    },
    {
      name: 'a day of three months',
      facts: trusting(anchor(-89, 1.5)),
      expect: { messageId: 'expiring', data: { left: '36 hours', day: '2026-01-02', name: 'root-ca' } },
    },
    {
      name: 'hours of a day',
      facts: trusting(anchor(-0.9, 0.1)),
      expect: { messageId: 'expiring', data: { left: '2 hours', day: '2026-01-01', name: 'root-ca' } },
    },
    {
      name: 'the last minutes',
      facts: trusting(anchor(-10, 0.01)),
      expect: {
        messageId: 'expiring',
        data: { left: '14 minutes', day: '2026-01-01', name: 'root-ca' },
      },
    },
    {
      name: 'the last of two',
      facts: trusting(anchor(-300, 5) + anchor(-300, 20, other)),
      expect: {
        messageId: 'lastOf',
        data: { left: '20 days', day: '2026-01-21', name: 'other-ca', count: 2 },
      },
    },
    {
      name: 'one that is followed too late',
      facts: trusting(anchor(-300, 5) + anchor(6, 400, other)),
      expect: { messageId: 'expiring' },
    },
  ],
  reportsNothing: [
    { name: 'a month and a day are left', facts: trusting(anchor(-300, 31)), outcome: 'pass' },
    { name: 'a third of a short life is left', facts: trusting(anchor(-60, 29)), outcome: 'pass' },
    {
      name: 'another one remains valid',
      facts: trusting(anchor(-300, 5) + anchor(-10, 300, other)),
      outcome: 'pass',
    },
    { name: 'another one takes over in time', facts: trusting(anchor(-300, 5) + anchor(4, 300, other)) },
    { name: 'it has expired', facts: trusting(anchor(-300, -1)), outcome: 'pass' },
    { name: 'there is none', facts: trusting(''), outcome: 'pass' },
    { name: 'all is well', facts: healthy(), outcome: 'pass' },
  ],
});
