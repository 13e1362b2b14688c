import { leaderGatedReadiness } from '../../../../src/checks/replica/leader-election/leader-gated-readiness.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { allows, blind, http, lease, leases, quiet, refused, replica, tried } from '../../probed.ts';

const held = leases(lease('policy-1_0a1b2c3d-0000-4000-8000-000000000000'));
const waiting = replica(2, { status: { conditions: [{ type: 'Ready', status: 'False' }] } });
const starting = replica(2, {
  status: {
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [{ name: 'webhook', ready: false, restartCount: 0, state: { waiting: {} } }],
  },
});

/** A Pod of a ReplicaSet of Deployment policy. */
const ofSet = (hash: string, pod: Pod): Pod => ({
  ...pod,
  metadata: {
    ...pod.metadata,
    labels: { ...pod.metadata.labels, 'pod-template-hash': hash },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `policy-${hash}`, uid: hash, controller: true },
    ],
  },
});
const newer = { ...waiting, metadata: { ...waiting.metadata, creationTimestamp: '2025-12-31T23:00:00Z' } };

describeCheck(leaderGatedReadiness, {
  reports: [
    {
      name: 'that only the holder is Ready',
      facts: tried([allows, allows], { pods: [replica(1), waiting], facts: held }),
      expect: {
        messageId: 'only',
        confidence: 'observed',
        data: { holder: 'policy-1', lease: 'shop/policy-leader', others: 1, total: 2 },
      },
    },
    {
      name: 'a rollout whose new Pod waits for the Lease of the old one',
      facts: tried([allows, allows], { pods: [ofSet('a', replica(1)), ofSet('b', newer)], facts: held }),
      expect: { messageId: 'rollout', data: { holder: 'policy-1', lease: 'shop/policy-leader' } },
    },
    {
      name: 'no rollout, if the holder is of the newest revision',
      facts: tried([allows, allows], { pods: [ofSet('a', replica(1)), ofSet('a', newer)], facts: held }),
      expect: { messageId: 'only' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'all are Ready', facts: tried([allows, allows], { facts: held }), outcome: 'pass' },
    {
      name: 'another one leads',
      facts: tried([allows, refused], { pods: [replica(1), waiting], facts: leases(lease('policy-2_x')) }),
    },
    {
      name: 'the other one still starts',
      facts: tried([allows, refused], { pods: [replica(1), starting], facts: held }),
    },
    {
      name: 'the leader fails',
      facts: tried([http(500), refused], { pods: [replica(1), waiting], facts: held }),
    },
  ],
  isUnknown: blind,
});
