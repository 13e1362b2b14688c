import { leaderGatedReadiness } from '../../../../src/checks/replica/leader-election/leader-gated-readiness.ts';
import { complete } from '../../../../src/facts/lookup.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists } from '../../../support/snapshot.ts';
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
/** A new Pod that is not Ready, since then. */
const newSince = (startedAt: string): Pod => ({
  ...waiting,
  metadata: { ...waiting.metadata, creationTimestamp: startedAt },
  status: {
    ...waiting.status,
    containerStatuses: [
      { name: 'webhook', ready: false, restartCount: 0, state: { running: { startedAt } } },
    ],
  },
});
const newer = newSince('2025-12-31T23:00:00Z');

const wait =
  'I1231 23:00:01.7 1 leaderelection.go:250] attempting to acquire leader lease shop/policy-leader...';
/** A rollout from policy-1, which leads, to policy-2, with the log and the Event of its readiness probe. */
const rollout = (pod: Pod, log: string, failed: string) =>
  tried([allows, allows], {
    pods: [ofSet('a', replica(1)), ofSet('b', pod)],
    facts: {
      ...held,
      logs: complete([['shop/policy-2/webhook', log]]),
      events: lists({
        shop: [
          {
            metadata: { name: 'policy-2.1', namespace: 'shop' },
            involvedObject: { kind: 'Pod', namespace: 'shop', name: 'policy-2' },
            type: 'Warning',
            reason: 'Unhealthy',
            message: `Readiness probe failed: ${failed}`,
            lastTimestamp: '2025-12-31T23:59:55Z',
          },
        ],
      }),
    },
  });
const closed = 'dial tcp 198.51.100.12:8443: connect: connection refused';
const status500 = 'HTTP probe failed with statuscode: 500';

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
      facts: rollout(newer, `I1231 main.go:1] starting\n${wait}`, closed),
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
    {
      name: 'a new Pod that has just started',
      facts: rollout(newSince('2025-12-31T23:59:55Z'), wait, closed),
    },
    { name: 'a new Pod whose server responds to the probe', facts: rollout(newer, wait, status500) },
    {
      name: 'a new Pod whose log has an error',
      facts: rollout(newer, `${wait}\nE1231 main.go:20] failed to load /conf/policy.yaml: line 3`, closed),
    },
    { name: 'a new Pod whose log does not show the wait', facts: rollout(newer, 'starting', closed) },
    {
      name: 'a new Pod whose log was not read',
      facts: tried([allows, allows], { pods: [ofSet('a', replica(1)), ofSet('b', newer)], facts: held }),
    },
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
