import { leaderLeaseStale } from '../../../../src/checks/replica/leader-election/leader-lease-stale.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, takenAt } from '../../../support/snapshot.ts';
import {
  allows,
  blind,
  denies,
  ended,
  http,
  lease,
  leases,
  quiet,
  refused,
  replica,
  tried,
} from '../../probed.ts';

const hourAgo = { renewTime: '2025-12-31T23:00:00.000000Z' };
const gone = lease('policy-bcd-zzzzz_0a1b2c3d-0000-4000-8000-000000000000', hourAgo);
const silent = ended({ stage: 'tls', kind: 'timed-out' });

const electing = (...args: readonly string[]) =>
  replica(1, { spec: { containers: [{ name: 'webhook', args, ports: [{ containerPort: 8443 }] }] } });

/** A Lease of an hour that a deleted Pod has left. */
const abandoned = leases(
  lease('policy-bcd-zzzzz_0a1b', {
    renewTime: '2025-12-31T23:55:00.000000Z',
    leaseDurationSeconds: 3600,
  }),
);

/** A candidate whose process has run for that many seconds. */
const startedBefore = (seconds: number) => {
  const one = electing('--leader-elect');
  const startedAt = new Date(Date.parse(takenAt) - seconds * 1000).toISOString();
  const status = { name: 'webhook', ready: true, restartCount: 0, state: { running: { startedAt } } };
  return { ...one, status: { ...one.status, containerStatuses: [status] } };
};

describeCheck(leaderLeaseStale, {
  reports: [
    {
      name: 'a holder that no longer exists, while the replicas answer',
      facts: tried([allows], { pods: [electing('--leader-elect')], facts: leases(gone) }),
      expect: {
        messageId: 'gone',
        confidence: 'derived',
        data: { lease: 'shop/policy-leader', holder: gone.spec?.holderIdentity ?? '', span: '60 min' },
      },
    },
    {
      name: 'that no replica serves without a leader, which has yet to create the certificate',
      facts: tried([refused], {
        pods: [electing('--leader-elect')],
        facts: {
          ...leases(gone),
          logs: complete([
            [
              'shop/policy-1/webhook',
              'I1231 23:00:01.7 1 leaderelection.go:250] attempting to acquire leader lease shop/policy-leader...\nWaiting for certificate generation to complete',
            ],
          ]),
        },
      }),
      expect: { messageId: 'unserved' },
    },
    {
      name: 'the same after the only candidate could have acquired it',
      facts: tried([allows], { pods: [startedBefore(40)], facts: leases(gone) }),
      expect: { messageId: 'gone' },
    },
    {
      name: 'a holder that does not renew',
      facts: tried([allows, silent], { facts: leases(lease('policy-2_x', hourAgo)) }),
      expect: { messageId: 'stuck' },
    },
    {
      name: 'that no replica serves without a leader, by delayed responses',
      facts: tried([http(500)], {
        pods: [electing('--leader-election-namespace', 'platform')],
        facts: {
          leases: lists({
            shop: [],
            platform: [{ ...gone, metadata: { name: 'l', namespace: 'platform' } }],
          }),
        },
      }),
      expect: { messageId: 'unserved' },
    },
    {
      name: 'a holder that no longer exists and that only its denials show',
      facts: tried([denies('no')], { facts: leases(gone) }),
      expect: { messageId: 'gone' },
    },
    {
      name: 'a holder that no longer exists, and a Lease that lasts',
      facts: tried([allows], {
        facts: abandoned,
      }),
      expect: {
        messageId: 'left',
        data: { lease: 'shop/policy-leader', holder: 'policy-bcd-zzzzz_0a1b', span: '55 min' },
      },
    },
    {
      name: 'the same, and no replica listens',
      facts: tried([refused], {
        facts: abandoned,
      }),
      expect: { messageId: 'leftUnserved' },
    },
    {
      name: 'the same of a process that has run for minutes and elects a leader',
      facts: tried([refused], { pods: [startedBefore(240)], facts: abandoned }),
      expect: { messageId: 'leftUnserved' },
    },
    {
      name: 'no missing leader as the reason, if the process may still be starting',
      facts: tried([refused], { pods: [startedBefore(30)], facts: abandoned }),
      expect: { messageId: 'left' },
    },
    {
      name: 'nor if the server listens on another port, according to its log',
      facts: tried([refused], {
        pods: [startedBefore(240)],
        facts: {
          ...abandoned,
          logs: complete([['shop/policy-1/webhook', 'Serving webhook server {"host": "", "port": 9443}']]),
        },
      }),
      expect: { messageId: 'left' },
    },
    {
      name: 'nor if the program itself responds with an error',
      facts: tried([http(500)], { pods: [startedBefore(240)], facts: abandoned }),
      expect: { messageId: 'left' },
    },
    {
      name: 'that no replica serves without a leader',
      facts: tried([refused, refused], { facts: leases(gone) }),
      expect: { messageId: 'unserved', confidence: 'derived' },
    },
    {
      name: 'the same of a program whose arguments say that it elects a leader',
      facts: tried([refused], { pods: [electing('--leader-elect')], facts: leases(gone) }),
      expect: { messageId: 'unserved', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    {
      name: 'no replica listens, and none has run long enough to acquire the Lease',
      facts: tried([refused], { pods: [startedBefore(20)], facts: leases(gone) }),
      outcome: 'pass',
    },
    ...quiet,
    {
      name: 'it is unused, and the replicas respond without a leader',
      facts: tried([allows, allows], { facts: leases(gone) }),
      outcome: 'pass',
    },
    ...[
      'Waiting for certificate generation to complete',
      'if kind is a CRD, it should be installed before calling Start',
    ].map((line) => ({
      name: `the program has not tried to acquire it yet: ${line}`,
      facts: tried([refused], {
        pods: [electing('--leader-elect')],
        facts: { ...leases(gone), logs: complete([['shop/policy-1/webhook', `starting\n${line}`]]) },
      }),
    })),
    {
      name: 'it is left over, and the server listens on another port, according to its log',
      facts: tried([refused], {
        facts: {
          ...leases(gone),
          logs: complete([['shop/policy-1/webhook', 'Serving webhook server {"host": "", "port": 9443}']]),
        },
      }),
      outcome: 'pass',
    },
    {
      name: 'it is left over from before the election was switched off',
      facts: tried([http(500)], { pods: [electing('--leader-elect=false')], facts: leases(gone) }),
      outcome: 'pass',
    },
    {
      name: 'its holder has just been replaced, and the Lease runs out soon',
      facts: tried([allows], {
        facts: leases(lease('policy-bcd-zzzzz_0a1b', { renewTime: '2025-12-31T23:59:50.000000Z' })),
      }),
      outcome: 'pass',
    },
    {
      name: 'the only candidate started a moment ago, and must wait for the duration of the Lease',
      facts: tried([allows], { pods: [startedBefore(12)], facts: leases(gone) }),
      outcome: 'pass',
    },
    {
      name: 'it is renewed',
      facts: tried([refused], { facts: leases(lease('policy-1_x')) }),
      outcome: 'pass',
    },
    {
      name: 'it is of another workload',
      facts: tried([refused], { facts: leases(lease('other-bcd-zzzzz_x', hourAgo)) }),
    },
    { name: 'it never had a holder', facts: tried([refused], { facts: leases(lease('', hourAgo)) }) },
    {
      name: 'these Pods hold another Lease',
      facts: tried([allows], {
        facts: leases(gone, { ...lease('policy-1_x'), metadata: { name: 'next', namespace: 'shop' } }),
      }),
    },
    { name: 'Leases were not read', facts: tried([refused]) },
  ],
  isUnknown: blind,
});
