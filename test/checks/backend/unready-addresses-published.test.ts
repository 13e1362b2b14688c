import { unreadyAddressesPublished } from '../../../src/checks/backend/unready-addresses-published.ts';
import type { Endpoint } from '../../../src/facts/objects/endpoint-slice.ts';
import type { ContainerStatus, Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, pod, service, slice } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const publishing = objects(service({ publishNotReadyAddresses: true }));
const endpoint = (name: string, address: string, serving: boolean): Endpoint => ({
  addresses: [address],
  conditions: { ready: true, serving },
  targetRef: { kind: 'Pod', namespace: 'shop', name },
});
const good = endpoint('policy-1', '198.51.100.7', true);
const bad = endpoint('policy-2', '198.51.100.8', false);
const second = (status: Partial<ContainerStatus>): Pod =>
  pod({
    metadata: { name: 'policy-2', uid: 'uid-2' },
    status: {
      podIP: '198.51.100.8',
      podIPs: [{ ip: '198.51.100.8' }],
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [{ name: 'webhook', ready: false, restartCount: 3, ...status }],
    },
  });
const crashing = second({ state: { waiting: { reason: 'CrashLoopBackOff' } } });
const running = second({ state: { running: {} } });
const having = (endpoints: readonly Endpoint[], pods: readonly Pod[], over: Partial<Facts> = {}) =>
  healthy({
    services: publishing,
    endpointSlices: lists({ 'shop/policy': [slice(endpoints)] }),
    pods: lists({ 'shop/policy': pods }),
    ...over,
  });

describeCheck(unreadyAddressesPublished, {
  reports: [
    {
      name: 'a replica that crashes and still gets calls',
      facts: having([good, bad], [pod(), crashing]),
      expect: { messageId: 'dead', data: { service: 'shop/policy', unresponsive: 1, total: 2 } },
    },
    {
      name: 'a replica that runs and is not ready',
      facts: having([good, bad], [pod(), running]),
      expect: {
        messageId: 'unready',
        data: { service: 'shop/policy', unready: 1, total: 2 },
        evidence: '198.51.100.8:8443 ready=true serving=false',
      },
    },
    {
      name: 'what the slices alone show',
      facts: having([bad], [], { pods: forbidden(), endpointPods: forbidden() }),
      expect: { messageId: 'unready', data: { service: 'shop/policy', unready: 1, total: 1 } },
    },
    {
      name: 'the setting itself while all are ready',
      facts: having([good], [pod()]),
      expect: { messageId: 'always', data: { service: 'shop/policy' } },
    },
  ],
  reportsNothing: [
    { name: 'the Service does not publish them', facts: healthy(), outcome: 'not-applicable' },
    { name: 'no replica can respond', facts: having([bad], [crashing]), outcome: 'pass' },
    { name: 'there is no endpoint', facts: having([], []), outcome: 'pass' },
  ],
  isUnknown: [
    { name: 'EndpointSlices must not be read', facts: having([], [], { endpointSlices: forbidden() }) },
  ],
});
