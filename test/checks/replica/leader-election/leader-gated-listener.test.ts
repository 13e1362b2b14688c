import { leaderGatedListener } from '../../../../src/checks/replica/leader-election/leader-gated-listener.ts';
import { describeCheck } from '../../../support/describe-check.ts';
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

const held = leases(lease('policy-1_0a1b2c3d-0000-4000-8000-000000000000'));
const configured = (number: number, argument: string) =>
  replica(number, { spec: { containers: [{ name: 'webhook', image: 'policy:1', args: [argument] }] } });
const images = (number: number, image: string) =>
  replica(number, { spec: { containers: [{ name: 'webhook', image }] } });
const unready = { status: { conditions: [{ type: 'Ready', status: 'False' as const }] } };

describeCheck(leaderGatedListener, {
  reports: [
    {
      name: 'that only the holder listens',
      facts: tried([allows, refused, refused], { facts: held }),
      expect: {
        messageId: 'some',
        confidence: 'observed',
        data: {
          others: 'the other 2 Pods',
          holder: 'Pod policy-1',
          lease: 'shop/policy-leader',
          bad: 2,
          total: 3,
          port: 8443,
          detail: 'dial tcp 198.51.100.11:8443: connect: connection refused',
        },
      },
    },
    {
      name: 'a holder without an identity of its own, as client-go has it',
      facts: tried([refused, allows], { facts: leases(lease('policy-2')) }),
      expect: { messageId: 'some' },
    },
    {
      name: 'a holder that denies the test object: it listens',
      facts: tried([denies('no'), refused, refused], { facts: held }),
      expect: { messageId: 'some' },
    },
    {
      name: 'a holder that responds with an error',
      facts: tried([http(500, 'no'), refused], { facts: held }),
      expect: { messageId: 'some' },
    },
    {
      name: 'a holder that takes no calls',
      facts: tried([allows, refused], { pods: [replica(1, unready), replica(2)], facts: held }),
      expect: { messageId: 'all' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'no Lease is held', facts: tried([allows, refused], { facts: leases() }) },
    { name: 'Leases were not read', facts: tried([allows, refused]) },
    {
      name: 'another one holds the Lease',
      facts: tried([allows, refused], { facts: leases(lease('policy-2_x')) }),
    },
    {
      name: 'one that does not hold the Lease listens, too',
      facts: tried([denies('no'), allows, refused], { facts: held }),
    },
    { name: 'two of three listen', facts: tried([allows, allows, refused], { facts: held }) },
    {
      name: 'the Lease is stale',
      facts: tried([allows, refused], {
        facts: leases(lease('policy-1_x', { renewTime: '2025-12-31T00:00:00Z' })),
      }),
    },
    {
      name: 'the others run another version',
      facts: tried([allows, refused], { pods: [images(1, 'policy:1'), images(2, 'policy:2')], facts: held }),
    },
    {
      name: 'the other Pod is of a second Deployment, without the setting that starts the server',
      facts: tried([allows, refused], {
        pods: [configured(1, '--webhook=:8443'), configured(2, '--metrics=:8080')],
        facts: held,
      }),
    },
    {
      name: 'the others hang',
      facts: tried([allows, ended({ stage: 'tls', kind: 'timed-out' })], { facts: held }),
    },
  ],
  isUnknown: blind,
});
