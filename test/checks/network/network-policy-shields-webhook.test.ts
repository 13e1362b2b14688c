import { networkPolicyShieldsWebhook } from '../../../src/checks/network/network-policy-shields-webhook.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { IpBlock, NetworkPolicy } from '../../../src/facts/objects/network-policy.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { IngressPolicy } from '../../../src/facts/plugin-policies.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, lists, objects, service, slice } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { allows, dryRun, proxySays, replica, type Tried, tried, unready } from '../probed.ts';
import { endpointOf } from '../replica/replicas.ts';

const policy = (ingress: NetworkPolicy['spec']['ingress'], app = 'policy'): NetworkPolicy => ({
  metadata: { name: 'shield', namespace: 'shop' },
  spec: {
    podSelector: { matchLabels: { app } },
    policyTypes: ['Ingress'],
    ...(ingress === undefined ? {} : { ingress }),
  },
});
const inside = policy([{ from: [{ podSelector: {} }] }]);
const lost: Tried = { ...allows, proxy: proxySays('dial tcp 198.51.100.11:8443: i/o timeout') };
const unasked: Tried = { dialogues: allows.dialogues ?? [] };
const under = (replicas: readonly Tried[], ...policies: readonly IngressPolicy[]) =>
  tried(replicas, { facts: { networkPolicies: lists({ shop: policies }) } });
/** The policies that allow these blocks. */
const blocks = (...allowed: readonly (string | IpBlock)[]) =>
  policy([{ from: allowed.map((one) => ({ ipBlock: typeof one === 'string' ? { cidr: one } : one })) }]);
const onNode = (hostIP: string, more: Partial<Pod['status']> = {}) => {
  const one = replica(1);
  return { ...one, status: { ...one.status, hostIP, ...more } };
};
/** A Pod on the node 192.168.10.5, to which packets are lost. */
const lostOnNode = (limits: NetworkPolicy, more: Partial<Facts> = {}) =>
  tried([lost], {
    pods: [onNode('192.168.10.5')],
    facts: { networkPolicies: lists({ shop: [limits] }), ...more },
  });
/** The EndpointSlices of the Service and of the API server. */
const apiServerAt = (address: string): Partial<Facts> => ({
  endpointSlices: complete([
    ['shop/policy', [slice([endpointOf(replica(1), true)])]] as const,
    [
      'default/kubernetes',
      [
        slice([{ addresses: [address], conditions: { ready: true } }], {
          ports: [{ name: 'https', port: 443, protocol: 'TCP' }],
        }),
      ],
    ] as const,
  ]),
});
const eks = { version: 'v1.33.5-eks-3cfe0ce' };
/** Two Pods under a policy, of which the control plane reaches the first one. */
const oneReached = (version: Partial<Facts>, ...policies: readonly NetworkPolicy[]) => ({
  ...under([allows, lost], ...policies),
  ...version,
});
/** A Pod that is not ready, and what it logs about its own CRD, and afterwards. */
const logging = (error: string, kind = 'Widget', after = '') =>
  tried([unasked], {
    pods: [replica(1, unready)],
    facts: {
      callouts: [conversion()],
      networkPolicies: lists({ shop: [inside] }),
      logs: complete([
        [
          'shop/policy-1/webhook',
          `starting\npanic: conversion webhook for example.com/v1, Kind=${kind} failed: Post "https://policy.shop.svc:443/convert?timeout=30s": ${error}\n${after}`,
        ],
      ]),
    },
  });
const noResponse = 'dial tcp 203.0.113.9:443: i/o timeout';
const data = { policies: 'NetworkPolicy shield', pods: 'the only Pod', port: 8443 };

describeCheck(networkPolicyShieldsWebhook, {
  reports: [
    {
      name: 'a policy that lets in Pods only',
      facts: under([unasked], inside),
      expect: { messageId: 'may', data, confidence: 'derived', names: { policy: 'networkpolicy/shield' } },
    },
    {
      name: 'a policy that lets in Pods only, and a Pod that is not Ready',
      facts: tried([unasked, unasked, unasked], {
        pods: [replica(1), replica(2, unready), replica(3, unready)],
        facts: { networkPolicies: lists({ shop: [inside] }) },
      }),
      expect: { messageId: 'may', data: { ...data, pods: '1 of 3 Pods' } },
    },
    {
      name: 'a policy without a rule',
      facts: under([unasked], policy(undefined)),
      expect: { messageId: 'may' },
    },
    {
      name: 'a rule for another port',
      facts: under([unasked], policy([{ ports: [{ port: 9443 }] }])),
      expect: { messageId: 'may' },
    },
    {
      name: 'packets that are lost',
      facts: under([lost], inside),
      expect: { messageId: 'does', confidence: 'observed' },
    },
    {
      name: 'packets that are lost, those of the kubelet, too: the Pod has just become unready',
      facts: tried([lost], {
        pods: [replica(1, unready)],
        facts: {
          networkPolicies: lists({ shop: [inside] }),
          endpointSlices: lists({ 'shop/policy': [slice([endpointOf(replica(1), true)])] }),
        },
      }),
      expect: { messageId: 'does', confidence: 'observed' },
    },
    {
      name: 'a call of the API server without a response, although the process responds in its Pod',
      facts: tried([unasked], {
        dryRun: dryRun(
          'failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": context deadline exceeded',
        ),
        facts: { networkPolicies: lists({ shop: [inside] }) },
      }),
      expect: { messageId: 'does', confidence: 'derived' },
    },
    {
      name: 'a Pod that exits because a call of its own conversion webhook gets no response',
      facts: logging(noResponse),
      expect: { messageId: 'does', data, confidence: 'derived' },
    },
    {
      name: 'a Pod whose caches are not filled because such a call gets no response',
      facts: logging(
        noResponse,
        'Widget',
        'E0101 main.go:60] failed to wait for caches to sync: timed out\n',
      ),
      expect: { messageId: 'does', data, confidence: 'derived' },
    },
    {
      name: 'packets to one of two that are lost',
      facts: under([allows, lost], inside),
      expect: { messageId: 'doesForSome' },
    },
    {
      name: 'a policy of a network plugin that denies what a NetworkPolicy allows',
      facts: under([lost], policy([{}]), {
        ...policy([]),
        kind: 'CiliumNetworkPolicy',
        plugin: 'Cilium',
        denies: [{ ports: [{ port: 8443 }] }],
      }),
      expect: {
        messageId: 'does',
        data: { ...data, policies: 'CiliumNetworkPolicy shield' },
        names: { policy: undefined, cilium: 'ciliumnetworkpolicy/shield', calico: undefined },
      },
    },
    {
      name: 'a policy of Calico',
      facts: under([lost], { ...policy([]), kind: 'GlobalNetworkPolicy', plugin: 'Calico' }),
      expect: {
        messageId: 'does',
        data: { ...data, policies: 'GlobalNetworkPolicy (Calico) shield' },
        names: { calico: 'globalnetworkpolicy.crd.projectcalico.org/shield' },
      },
    },
    {
      name: 'packets to one of two that are lost although a policy lets in addresses',
      facts: under([allows, lost], policy([{ from: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }])),
      expect: { messageId: 'addressesForSome' },
    },
    {
      name: 'packets that are lost although a policy lets in addresses',
      facts: under([lost], policy([{ from: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }])),
      expect: {
        messageId: 'addresses',
        data: { ...data, sources: '192.0.2.0/24' },
        confidence: 'derived',
      },
    },
    ...[['10.0.0.0/8'], ['0.0.0.0/1', '128.0.0.0/1'], ['10.0.0.0/16'], ['fd00::/8', '10.0.0.0/16']].map(
      (cidrs) => ({
        name: `packets that are lost although a policy lets in ${cidrs.join(' and ')}`,
        facts: under([lost], policy([{ from: cidrs.map((cidr) => ({ ipBlock: { cidr } })) }])),
        expect: { messageId: 'wideAddresses' },
      }),
    ),
    {
      name: 'a policy that lets in the network of the Pods, without their nodes: tunnels have its addresses',
      facts: lostOnNode(blocks('198.51.0.0/16')),
      expect: { messageId: 'wideAddresses', data: { ...data, sources: '198.51.0.0/16' } },
    },
    {
      name: 'a policy that lets in the network of Pods and nodes',
      facts: lostOnNode(blocks('128.0.0.0/1')),
      expect: { messageId: 'wideAddresses' },
    },
    {
      name: 'a policy that lets in all but the network of the nodes',
      facts: lostOnNode(blocks({ cidr: '0.0.0.0/0', except: ['192.168.0.0/16'] })),
      expect: {
        messageId: 'wideAddresses',
        data: { ...data, sources: '0.0.0.0/0 except 192.168.0.0/16' },
      },
    },
    {
      name: 'a policy that lets in all but another network',
      facts: lostOnNode(blocks({ cidr: '0.0.0.0/0', except: ['203.0.113.0/24'] })),
      expect: { messageId: 'wideAddresses' },
    },
    {
      name: 'a policy that lets in a wide IPv6 block, for an IPv4 Pod',
      facts: under([lost], blocks('203.0.113.1/32', 'fd00::/8')),
      expect: { messageId: 'addresses' },
    },
    {
      name: 'a policy that lets in every IPv6 address, for an IPv4 Pod',
      facts: under([lost], blocks('::/0')),
      expect: { messageId: 'addresses' },
    },
    {
      name: 'a wide IPv6 block for an IPv6 Service, of a Pod with addresses of both families',
      facts: tried([lost], {
        pods: [
          onNode('192.168.10.5', {
            podIPs: [{ ip: '198.51.100.11' }, { ip: '2001:db8::11' }],
          }),
        ],
        facts: {
          networkPolicies: lists({ shop: [blocks('10.0.0.0/32', '2001:db8::/32')] }),
          services: objects(service({ ipFamilies: ['IPv6'] })),
        },
      }),
      expect: { messageId: 'wideAddresses' },
    },
    {
      name: 'a policy that lets in the small network of the API server',
      facts: lostOnNode(blocks('172.16.0.0/28'), apiServerAt('172.16.0.2')),
      expect: { messageId: 'wideAddresses' },
    },
    {
      name: 'a policy that lets in another small network than that of the API server',
      facts: lostOnNode(blocks('172.16.0.0/28'), apiServerAt('172.16.0.18')),
      expect: { messageId: 'addresses' },
    },
    {
      name: 'one of two Pods that is reached, outside EKS: the API server may run on its node',
      facts: oneReached({}, inside),
      expect: { messageId: 'doesForSome' },
    },
    {
      name: 'one of two Pods that is reached in EKS, under other policies than the lost one',
      facts: {
        ...tried([allows, lost], {
          pods: [replica(1, { metadata: { labels: { app: 'policy', version: 'old' } } }), replica(2)],
          facts: {
            networkPolicies: lists({
              shop: [
                inside,
                {
                  ...policy([{}]),
                  spec: {
                    podSelector: { matchLabels: { version: 'old' } },
                    policyTypes: ['Ingress'],
                    ingress: [{}],
                  },
                },
              ],
            }),
          },
        }),
        ...eks,
      },
      expect: { messageId: 'doesForSome' },
    },
    {
      name: 'packets to one of two that are lost although a policy lets in a network',
      facts: under([allows, lost], policy([{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }])),
      expect: { messageId: 'wideAddressesForSome' },
    },
  ],
  reportsNothing: [
    {
      name: 'packets are lost, and a policy lets in every address',
      facts: under([lost], policy([{ from: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }])),
      outcome: 'pass',
    },
    {
      name: 'packets are lost, and another policy lets in everything',
      facts: under([lost], policy([{ from: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }]), policy([{}])),
      outcome: 'pass',
    },
    {
      name: 'a policy of a network plugin denies another port',
      facts: under([lost], policy([{}]), { ...policy([]), denies: [{ ports: [{ port: 9443 }] }] }),
      outcome: 'pass',
    },
    {
      name: 'the only Pod is not Ready, and no probe shows that packets are lost',
      facts: tried([unasked], {
        pods: [replica(1, unready)],
        facts: { networkPolicies: lists({ shop: [inside] }) },
      }),
      outcome: 'pass',
    },
    {
      name: 'the only Pod is not Ready, and its conversion webhook is refused, because nothing listens',
      facts: logging('dial tcp 203.0.113.9:443: connect: connection refused'),
      outcome: 'pass',
    },
    {
      name: 'the only Pod is not Ready for another reason than a conversion that got no response before',
      facts: logging(noResponse, 'Widget', 'I0101 main.go:60] caches synced\npanic: disk full\n'),
      outcome: 'pass',
    },
    {
      name: 'the only Pod is not Ready, and a conversion of another program gets no response',
      facts: logging(noResponse, 'Gadget'),
      outcome: 'pass',
    },
    { name: 'there is no policy', facts: under([unasked]), outcome: 'pass' },
    { name: 'it selects other Pods', facts: under([unasked], policy([], 'shop')), outcome: 'pass' },
    { name: 'it allows all sources', facts: under([unasked], policy([{}])), outcome: 'pass' },
    {
      name: 'it lets in the port',
      facts: under([unasked], policy([{ ports: [{ port: 8000, endPort: 9000 }] }])),
      outcome: 'pass',
    },
    {
      name: 'it lets in addresses',
      facts: under([unasked], policy([{ from: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }])),
      outcome: 'pass',
    },
    { name: 'another policy lets it in', facts: under([unasked], inside, policy([{}])), outcome: 'pass' },
    {
      name: 'the control plane of EKS, which runs on no node, reaches another Pod under the policy',
      facts: oneReached(eks, inside),
      outcome: 'pass',
    },
    { name: 'the control plane gets through', facts: under([allows], inside), outcome: 'pass' },
  ],
  isUnknown: [
    {
      name: 'policies must not be read',
      facts: tried([unasked], { facts: { networkPolicies: forbidden() } }),
    },
  ],
});
