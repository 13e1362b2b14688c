import { callsFailedAtStart } from '../../../src/checks/effect/calls-failed-at-start.ts';
import type { Event } from '../../../src/facts/objects/event.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, lists, objects, pod, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

// Snapshots are taken at 2026-01-01T00:00:00Z.
const created = '2025-12-31T23:55:00Z';
const ready = '2025-12-31T23:56:10Z';
const readySince = (lastTransitionTime: string, creationTimestamp = created) => {
  const { metadata } = pod();
  const status = { conditions: [{ type: 'Ready', status: 'True' as const, lastTransitionTime }] };
  return lists({ 'shop/policy': [pod({ metadata: { ...metadata, creationTimestamp }, status })] });
};
const installed = (at: string, since: string, over: Partial<Facts> = {}): Partial<Facts> =>
  healthy({
    callouts: [webhook({ metadata: { name: 'policy', creationTimestamp: at } })],
    pods: readySince(since),
    ...over,
  });
/** A CRD that was created with the webhook, with these served versions. */
const converting = (...names: readonly string[]) =>
  conversion({
    metadata: { name: 'widgets.acme.io', creationTimestamp: created },
    versions: names.map((name, index) => ({ name, served: true, storage: index === 0 })),
    storedVersions: names.slice(0, 1),
  });
const refused = 'Internal error occurred: failed calling webhook "policy.example.com": connection refused';
const failedAt = (lastTimestamp: string): Event => ({
  metadata: { name: 'web.1', namespace: 'shop' },
  involvedObject: { kind: 'ReplicaSet', namespace: 'shop', name: 'web-1' },
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating: ${refused}`,
  lastTimestamp,
});

describeCheck(callsFailedAtStart, {
  reports: [
    {
      name: 'a configuration that was there before its first Pod',
      facts: installed(created, ready),
      expect: { messageId: 'window', data: { created, ready } },
    },
    {
      name: 'a CRD of two versions that was there before its first Pod',
      facts: installed(created, ready, { callouts: [converting('v1', 'v2')] }),
      expect: { messageId: 'window' },
    },
    {
      name: 'Events of requests that came too early',
      facts: installed(created, ready, { events: lists({ shop: [failedAt('2025-12-31T23:55:40Z')] }) }),
      expect: {
        messageId: 'seen',
        data: { ready, count: 1, detail: 'failed calling webhook "policy.example.com": connection refused' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'the Pods were Ready first',
      facts: installed(created, '2025-12-31T23:54:00Z'),
      outcome: 'pass',
    },
    {
      name: 'a CRD of one version, whose conversion webhook is never called',
      facts: installed(created, ready, { callouts: [converting('v1')] }),
      outcome: 'pass',
    },
    { name: 'the configuration is old', facts: installed('2025-12-01T00:00:00Z', ready), outcome: 'pass' },
    {
      name: 'the Pods may have replaced others',
      facts: installed(created, ready, { pods: readySince(ready, '2025-12-31T23:56:05Z') }),
      outcome: 'pass',
    },
    {
      name: 'calls failed after that moment as well',
      facts: installed(created, ready, { events: lists({ shop: [failedAt('2025-12-31T23:58:00Z')] }) }),
      outcome: 'pass',
    },
    { name: 'no Pod is Ready', facts: installed(created, ready, { pods: lists({}) }), outcome: 'pass' },
    {
      name: 'the Service is missing',
      facts: installed(created, ready, { services: objects() }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'Pods could not be read', facts: installed(created, ready, { pods: forbidden() }) }],
});
