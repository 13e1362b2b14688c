import { packetsLostByNode } from '../../../src/checks/network/packets-lost-by-node.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { objects, service as service_, slice, webhook } from '../../support/snapshot.ts';
import { allows, blind, proxySays, quiet, replica, tried } from '../probed.ts';
import { endpointOf } from '../replica/replicas.ts';

const lost = { ...allows, proxy: proxySays('dial tcp 198.51.100.11:8443: i/o timeout') };
const turnedAway = { ...allows, proxy: proxySays('dial tcp 198.51.100.11:8443: connect: no route to host') };
const on = (nodeName: string, number: number, hostNetwork?: true) =>
  replica(number, { spec: { nodeName, containers: [], ...(hostNetwork && { hostNetwork }) } });

/** No replica of the webhook is reachable, and that of another webhook is. */
function beside(own: Pod, others = on('a', 3)): Partial<Facts> {
  const facts = tried([lost], { pods: [own] });
  const service = { namespace: 'bank', name: 'policy', port: 443, path: '/validate' };
  const { caBundle = '' } = webhook().client;
  const other = webhook({ configuration: 'other', webhook: 'other', client: { service, caBundle } });
  const probes = complete([
    ...(facts.probes?.entries() ?? []),
    [
      calloutId(other),
      {
        level: 'review',
        serverName: 'policy.bank.svc',
        replicas: [
          {
            pod: others.metadata.name,
            port: 8443,
            endpoint: `${others.status.podIP}:8443`,
            ready: true,
            dialogues: [],
            notTried: [],
            ...allows,
          },
        ],
        notTried: [],
      },
    ] as const,
  ]);
  return {
    ...facts,
    callouts: [webhook(), other],
    services: objects(service_(), service_({}, { namespace: 'bank' })),
    endpointSlices: complete([
      ...(facts.endpointSlices?.entries() ?? []),
      ['bank/policy', [slice([endpointOf(others, true)])]] as const,
    ]),
    pods: complete([...(facts.pods?.entries() ?? []), ['bank/policy', [others]] as const]),
    probes,
  };
}

/** API servers on nodes, as static Pods. */
const serverOn = (...nodes: readonly string[]): Partial<Facts> => ({
  apiServerPods: complete([['kube-apiserver', nodes.map((name) => on(name, 9, true))] as const]),
});
const otherPort = { ...lost, port: 9443 };

const eks = { version: 'v1.33.5-eks-3cfe0ce' };
const hybridNode = (last: string) => `mi-0123456789abcdef${last}`;

describeCheck(packetsLostByNode, {
  reports: [
    {
      name: 'that a hybrid node of EKS is not reached',
      facts: { ...tried([lost], { pods: [on(hybridNode('0'), 1)] }), ...eks },
      expect: { messageId: 'hybrid', data: { lost: `hybrid node ${hybridNode('0')}` } },
    },
    {
      name: 'a lost node beside a hybrid one that is reached, as elsewhere',
      facts: { ...tried([allows, lost], { pods: [on(hybridNode('0'), 1), on(hybridNode('1'), 2)] }), ...eks },
      expect: { messageId: 'byNodeSome' },
    },
    {
      name: 'that the Pod in AWS is reached, and that on a hybrid node is not',
      facts: { ...tried([allows, lost], { pods: [on('ip-10-0-1-2', 1), on(hybridNode('0'), 2)] }), ...eks },
      expect: { messageId: 'hybridSome', severity: 'warning' },
    },
    {
      name: 'that one node is reached and another one is not',
      facts: tried([allows, lost, lost], { pods: [on('a', 1), on('b', 2), on('b', 3)] }),
      expect: { messageId: 'byNodeSome', data: { reached: 'a', lost: 'b' }, confidence: 'observed' },
    },
    {
      name: 'that only the network of nodes is reached, on one node',
      facts: tried([allows, lost], { pods: [on('a', 1, true), on('a', 2)] }),
      expect: { messageId: 'podNetworkSome', data: { reached: 'a', lost: 'a' } },
    },
    {
      name: 'the same on several nodes',
      facts: tried([allows, lost], { pods: [on('a', 1, true), on('b', 2)] }),
      expect: { messageId: 'podNetworkSome' },
    },
    {
      name: 'that another webhook is reached, on another node',
      facts: beside(on('b', 1)),
      expect: { messageId: 'byNode', data: { reached: 'a', lost: 'b' } },
    },
    {
      name: 'that another webhook is reached, with hostNetwork',
      facts: beside(on('a', 1), on('a', 3, true)),
      expect: { messageId: 'podNetwork' },
    },
    {
      name: 'that no Pod on another node than that of the API server is reached, on several ports',
      facts: {
        ...tried([lost, otherPort], { pods: [on('a', 1), on('b', 2)] }),
        ...serverOn('master'),
      },
      expect: {
        messageId: 'everyPort',
        data: { servers: 'master', lost: 'a and b', ports: '8443 and 9443' },
        names: { node: 'master' },
      },
    },
    {
      name: 'that one of three API servers is not reached: which of them is unknown',
      facts: {
        ...tried([lost, otherPort], { pods: [on('a', 1), on('b', 2)] }),
        ...serverOn('cp-1', 'cp-2', 'cp-3'),
      },
      expect: {
        messageId: 'everyPortOfOne',
        data: { servers: 'cp-1, cp-2 or cp-3', lost: 'a and b', ports: '8443 and 9443' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'no Pod on another node is reached, on one port: a rule may be about this port',
      facts: { ...tried([lost, lost], { pods: [on('a', 1), on('b', 2)] }), ...serverOn('master') },
      outcome: 'pass',
    },
    {
      name: 'one of the Pods runs on the node of the API server, without the network between nodes',
      facts: { ...tried([lost, otherPort], { pods: [on('master', 1), on('b', 2)] }), ...serverOn('master') },
      outcome: 'pass',
    },
    {
      name: 'one of the Pods is on the network of its node, which has no overlay',
      facts: { ...tried([lost, otherPort], { pods: [on('a', 1, true), on('b', 2)] }), ...serverOn('master') },
      outcome: 'pass',
    },
    {
      name: 'the control plane is outside the cluster',
      facts: tried([lost, otherPort], { pods: [on('a', 1), on('b', 2)] }),
      outcome: 'pass',
    },
    {
      name: 'the Pod of a hybrid node has hostNetwork',
      facts: { ...tried([lost], { pods: [on(hybridNode('0'), 1, true)] }), ...eks },
      outcome: 'pass',
    },
    {
      name: 'no other Pod was contacted, and the node is in AWS',
      facts: { ...tried([lost], { pods: [on('ip-10-0-1-2.ec2.internal', 1)] }), ...eks },
      outcome: 'pass',
    },
    {
      name: 'no other Pod was contacted, and the cluster is not of EKS',
      facts: tried([lost], { pods: [on(hybridNode('0'), 1)] }),
      outcome: 'pass',
    },
    ...quiet,
    {
      name: 'a node is reached and not reached: it is the port, or the Pod',
      facts: tried([allows, lost, lost], { pods: [on('a', 1), on('a', 2), on('b', 3)] }),
      outcome: 'pass',
    },
    {
      name: 'no replica is reached',
      facts: tried([lost, lost], { pods: [on('a', 1), on('b', 2)] }),
      outcome: 'pass',
    },
    {
      name: 'packets are turned away, not lost',
      facts: tried([allows, turnedAway], { pods: [on('a', 1), on('b', 2)] }),
      outcome: 'pass',
    },
    {
      name: 'the control plane was not asked about the others',
      facts: tried([{ dialogues: allows.dialogues ?? [] }, lost], { pods: [on('a', 1), on('b', 2)] }),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
