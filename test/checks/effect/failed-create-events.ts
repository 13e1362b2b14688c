import { complete } from '../../../src/facts/lookup.ts';
import type { Event } from '../../../src/facts/objects/event.ts';
import type { PodController } from '../../../src/facts/objects/pod-controller.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { lists, webhook } from '../../support/snapshot.ts';

/** kube-apiserver 1.35.4, as in the Event of the ReplicaSet controller. */
export const failed = (name = 'policy.example.com', path = 'https://policy.shop.svc:443/validate') =>
  `Error creating: Internal error occurred: failed calling webhook "${name}": failed to call webhook: Post "${path}?timeout=10s": dial tcp 203.0.113.10:443: connect: connection refused`;
export const denied =
  'Error creating: admission webhook "policy.example.com" denied the request: no label "team"';

export const event = (over: Partial<Event> & { kind?: string; name?: string; uid?: string } = {}): Event => {
  const { kind = 'ReplicaSet', name = 'cart-5d9', uid = `uid-${name}`, ...rest } = over;
  return {
    metadata: { name: `${name}.1`, namespace: 'orders' },
    involvedObject: { kind, namespace: 'orders', name, uid },
    type: 'Warning',
    reason: 'FailedCreate',
    message: failed(),
    firstTimestamp: '2025-12-31T23:00:00Z',
    lastTimestamp: '2025-12-31T23:50:00Z',
    ...rest,
  };
};

export const maker = (over: Partial<PodController> = {}): PodController => ({
  kind: 'ReplicaSet',
  metadata: {
    name: 'cart-5d9',
    namespace: 'orders',
    uid: 'uid-cart-5d9',
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart', uid: 'd', controller: true },
    ],
  },
  spec: { replicas: 3, template: { spec: { containers: [] } } },
  status: { replicas: 1 },
  ...over,
});

const makers = (...all: readonly PodController[]): Facts['podControllers'] =>
  complete(all.map((one) => [`${one.kind} ${one.metadata.namespace}/${one.metadata.name}`, one]));

export const refused = (
  events: readonly Event[],
  all: readonly PodController[] = [maker()],
): Partial<Facts> => ({
  callouts: [webhook()],
  failedCreateEvents: lists({ FailedCreate: events }),
  podControllers: makers(...all),
});
