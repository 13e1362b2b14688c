import { evictionsDenied } from '../../../src/checks/effect/evictions-denied.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import type { Event } from '../../../src/facts/objects/event.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const guard = (over: Partial<AdmissionCallout> = {}) =>
  webhook({
    rules: [
      {
        operations: ['CREATE'],
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['pods/eviction'],
        scope: '*',
      },
    ],
    ...over,
  });
const detail = 'admission webhook "policy.example.com" denied the request: the operator moves it';
const about = (message: string, reason = 'ScaleDownFailed', name = 'node-1'): Event => ({
  metadata: { name: `${name}.1`, namespace: 'default', creationTimestamp: '2025-12-31T23:00:00Z' },
  involvedObject: { kind: 'Node', name },
  type: 'Warning',
  reason,
  message,
  lastTimestamp: '2025-12-31T23:50:00Z',
});
const refused = about(`failed to drain the node: Failed to evict pod shop/db-0 (last error: ${detail})`);
const given = (events: readonly Event[], callout = guard()) => ({
  callouts: [callout],
  failedCreateEvents: lists({ Node: events }),
});

describeCheck(evictionsDenied, {
  reports: [
    {
      name: 'a drain of an autoscaler that the webhook refuses, once for each Node',
      facts: given([refused, refused]),
      expect: {
        messageId: 'denied',
        data: {
          node: 'node-1',
          webhook: 'policy.example.com',
          time: '2025-12-31T23:50:00Z',
          detail: 'the operator moves it)',
        },
        confidence: 'observed',
      },
    },
    {
      name: 'the drain of an upgrade, by its reason',
      facts: given([about(detail, 'FailedToDrain')]),
      expect: {
        messageId: 'denied',
        data: {
          node: 'node-1',
          webhook: 'policy.example.com',
          time: '2025-12-31T23:50:00Z',
          detail: 'the operator moves it',
        },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'a PodDisruptionBudget refuses',
      facts: given([about("Cannot evict pod as it would violate the pod's disruption budget.")]),
      outcome: 'pass',
    },
    {
      name: 'another webhook refuses',
      facts: given([about(`Failed to evict pod: ${detail.replace('policy.', 'other.')}`)]),
      outcome: 'pass',
    },
    {
      name: 'what is refused is no eviction',
      facts: given([about(detail, 'UpdateFailed')]),
      outcome: 'pass',
    },
    {
      name: 'the rules do not name evictions',
      facts: given([refused], webhook()),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'events could not be listed',
      facts: { callouts: [guard()], failedCreateEvents: forbidden() },
    },
  ],
});
