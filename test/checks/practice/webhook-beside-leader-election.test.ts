import { webhookBesideLeaderElection } from '../../../src/checks/practice/webhook-beside-leader-election.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, webhook } from '../../support/snapshot.ts';
import { allows, denies, lease, leases, replica, sampled, tried } from '../probed.ts';
import { budget, deployment, never } from './kept.ts';

const electing = (number: number) =>
  replica(number, { spec: { containers: [{ name: 'webhook', args: ['--leader-elect'] }] } });
const held = leases(lease('policy-1_x'));

/** Two replicas of an examined Deployment that allow the test object. */
const kept = (facts: Partial<Facts>, spec = {}, pods = [replica(1), replica(2)]): Partial<Facts> =>
  tried([allows, allows], {
    pods,
    facts: {
      workloads: lists({ shop: [deployment({ spec })] }),
      disruptionBudgets: lists({ shop: [budget()] }),
      ...facts,
    },
  });

describeCheck(webhookBesideLeaderElection, {
  reports: [
    {
      name: 'a Lease that one of two replicas holds',
      facts: kept(held),
      expect: {
        messageId: 'held',
        confidence: 'derived',
        data: { workload: 'Deployment policy', lease: 'shop/policy-leader' },
      },
    },
    {
      name: 'the same where a real object was denied by all',
      facts: sampled(kept(held), [denies('no'), denies('no')]),
      expect: { messageId: 'held' },
    },
    {
      name: 'replicas that are configured to elect a leader',
      facts: kept(leases(), {}, [electing(1), electing(2)]),
      expect: { messageId: 'told' },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'one replica serves', facts: kept(held, { replicas: 1 }) },
    { name: 'no leader is elected', facts: kept(leases()), outcome: 'pass' },
    {
      name: 'every replica allows a real object',
      facts: sampled(kept(held), [allows, allows]),
      outcome: 'pass',
    },
    {
      name: 'the product is known to serve on every replica',
      facts: kept({ ...held, callouts: [webhook({ webhook: 'webhook.cert-manager.io' })] }),
    },
  ],
});
