import { clockSkew } from '../../../../src/checks/tls/certificate/clock-skew.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { takenAt } from '../../../support/snapshot.ts';
import { issued, served } from '../serving.ts';

const good = issued();

const clock = (seconds: number) => ({
  clock: { here: takenAt, server: new Date(Date.parse(takenAt) + seconds * 1000).toISOString() },
});
const fresh = issued({ server: { notBefore: new Date(Date.parse(takenAt) - 60_000) } });
const fine = { presented: good.presented };

describeCheck(clockSkew, {
  reports: [
    {
      name: 'a clock that is behind the certificate',
      facts: served(fresh.root, [{ presented: fresh.presented }], clock(-300)),
      expect: {
        messageId: 'decides',
        confidence: 'observed',
        data: { length: '5 minutes', direction: 'behind', clock: 'the clock of this machine' },
      },
    },
    {
      name: 'a clock that is wrong, while nothing depends on it',
      facts: served(good.root, [fine], clock(3600)),
      expect: { messageId: 'differs', data: { length: '60 minutes', direction: 'ahead of' } },
    },
  ],
  reportsNothing: [
    { name: 'the time is unknown', facts: served(good.root, [fine]), outcome: 'not-applicable' },
    { name: 'a second is all', facts: served(good.root, [fine], clock(1)), outcome: 'pass' },
    {
      name: 'a minute, and nothing depends on it',
      facts: served(good.root, [fine], clock(60)),
      outcome: 'pass',
    },
  ],
});
