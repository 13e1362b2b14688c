import { running } from '../cluster/behaviour.ts';
import { installation } from '../cluster/installation.ts';
import type { Scenario } from './scenario.ts';

/** Failures at the link network. */
export const networkScenarios: readonly Scenario[] = [
  {
    slug: 'unreachable-from-control-plane',
    story:
      'The Pods have addresses of an overlay network that ends at the nodes. The control plane is not a node. A port-forward works; the API server itself cannot reach them.',
    source: 'https://github.com/kubernetes-sigs/jobset/issues/977',
    parts: installation('overlay/overlay-policy', {
      deployment: { pods: [running({ network: 'rejects' })] },
    }),
  },
  {
    slug: 'address-not-allowed',
    story:
      'A managed control plane connects only to addresses of its own network. The CNI gives Pods addresses of another network. The call fails before a connection.',
    source: 'https://github.com/cilium/cilium/issues/30111',
    parts: installation('managed/managed-policy', {
      deployment: { pods: [running({ network: 'not-allowed' })] },
    }),
  },
];
