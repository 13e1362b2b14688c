import { leaderGatedListener } from '../../../../src/checks/replica/leader-election/leader-gated-listener.ts';
import type { Container } from '../../../../src/facts/objects/pod.ts';
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
/** A Pod of its own ReplicaSet. */
const only = (number: number, container: Partial<Container>) => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', controller: true };
  return replica(number, {
    metadata: { ownerReferences: [{ ...owner, name: `policy-${number}`, uid: `rs-${number}` }] },
    spec: { containers: [{ name: 'webhook', image: 'policy:1', ...container }] },
  });
};
/** A Pod to which an admission webhook added a variable. */
const injected = (number: number) =>
  replica(number, {
    spec: { containers: [{ name: 'webhook', env: [{ name: 'DD_AGENT_HOST', value: '192.0.2.7' }] }] },
  });
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
      name: 'another one of the same ReplicaSet with an injected variable',
      facts: tried([allows, refused], { pods: [replica(1), injected(2)], facts: held }),
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
      facts: tried([allows, refused], { pods: [only(1, {}), only(2, { image: 'policy:2' })], facts: held }),
    },
    {
      name: 'the other Pod is of a second Deployment, without the setting that starts the server',
      facts: tried([allows, refused], {
        pods: [only(1, { args: ['--webhook=:8443'] }), only(2, { args: ['--metrics=:8080'] })],
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
