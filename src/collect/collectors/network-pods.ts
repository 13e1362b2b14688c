import type { Pod } from '../../facts/objects/pod.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { defineCollector, eachKey } from '../collector.ts';
import { brokenBackends, brokenFacts } from '../suspicion.ts';

/** Labels of the Pods that network plugins run on each node. */
const selectors = [
  'k8s-app in (aws-node,calico-node,canal,cilium,flannel,kindnet,kube-router,azure-cns)',
  'app in (antrea,flannel,kindnet,kube-ovn-cni,ovnkube-node)',
];

/** Collects the Pods of the network plugin in all namespaces, if a backend is broken. */
export const networkPods = defineCollector({
  fact: 'networkPods',
  topics: ['failures'],
  needs: brokenFacts,
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'whether the Pods of the network plugin run')],
  otherwise: 'Pods of the network plugin while no webhook is broken',
  wants: (facts, readOptions) => (brokenBackends(facts, readOptions).length > 0 ? selectors : []),
  read: (access, keys) =>
    eachKey(keys, (labelSelector) =>
      access.list<Pod>(resources.Pod, {
        query: { labelSelector },
        selection: 'Pods of the network plugin',
        refusable: true,
      }),
    ),
});
