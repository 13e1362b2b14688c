import { addressNotAllowed } from '../../../src/checks/network/address-not-allowed.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { lists, pod } from '../../support/snapshot.ts';
import { allows, describeFault, proxySays, replica, tried } from '../probed.ts';

const lost = { ...allows, proxy: proxySays('dial tcp 198.51.100.11:8443: i/o timeout') };
/** An EKS cluster with these network plugins, whose nodes have addresses of another network than its Pods. */
const eks = (plugins: readonly string[], over: Partial<Facts> = {}): Partial<Facts> => ({
  version: 'v1.33.5-eks-3cfe0ce',
  networkPods: lists({
    plugins: plugins.map((name) => pod({ metadata: { name: `${name}-x`, labels: { 'k8s-app': name } } })),
  }),
  ...over,
});
const at = (number: number, hostIP: string) => replica(number, { status: { hostIP } });
const overlay = (facts: Partial<Facts>, hostIP = '192.0.2.11') =>
  tried([lost], { pods: [at(1, hostIP)], facts });

describeFault(
  addressNotAllowed,
  { ...allows, proxy: proxySays('Address is not allowed') },
  [
    { name: 'Pods get addresses of the VPC', facts: overlay(eks(['aws-node', 'kube-proxy'])) },
    { name: 'the plugin only enforces policies', facts: overlay(eks(['aws-node', 'calico-node'])) },
    { name: 'Pods and nodes have addresses of one network', facts: overlay(eks(['cilium']), '198.51.7.7') },
    { name: 'the plugin is unknown', facts: overlay(eks([])) },
    ...['100.64.3.11', '100.127.3.11', '198.19.3.11'].map((podIP) => ({
      name: `Pods have addresses of the second CIDR block of a VPC: ${podIP}`,
      facts: tried([lost], {
        pods: [replica(1, { status: { hostIP: '192.0.2.11', podIP, podIPs: [{ ip: podIP }] } })],
        facts: eks(['calico-node']),
      }),
    })),
    { name: 'the cluster is another one', facts: overlay(eks(['calico-node'], { version: 'v1.33.5' })) },
    {
      name: 'the control plane reaches another Pod of that network',
      facts: tried([lost, allows], {
        pods: [at(1, '192.0.2.11'), at(2, '192.0.2.12')],
        facts: eks(['cilium']),
      }),
    },
  ],
  [
    {
      name: 'Pods of an overlay network in EKS',
      facts: overlay(eks(['calico-node'])),
      expect: {
        messageId: 'overlay',
        confidence: 'derived',
        data: { plugin: 'calico-node', replicas: 'Pod policy-1' },
      },
    },
    {
      name: 'Pods of Cilium in EKS, whose addresses may be of the VPC',
      facts: overlay(eks(['cilium'])),
      expect: { messageId: 'maybe', confidence: 'derived', severity: 'warning' },
    },
  ],
);
