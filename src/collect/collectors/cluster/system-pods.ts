import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { networkPluginSelectors } from '../../../products/known/network-plugins.ts';
import { defineCollector } from '../../collector.ts';
import { brokenBackends, brokenFacts, podsOf } from '../../suspect-backends.ts';

/**
 * The mirror Pods of the API servers, on clusters built by kubeadm or in the same way. Their image and flags
 * contain what `/version` of one server does not: admission plugins, routing, proxies. Managed control planes have
 * none.
 */
export const apiServerPods = defineCollector({
  fact: 'apiServerPods',
  needs: [],
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'version, flags and proxy of kube-apiserver')],
  otherwise: 'Pods of kube-apiserver',
  wants: () => ['kube-apiserver'],
  readEach: (access, name) =>
    access.list<Pod>(resources.Pod, {
      namespace: 'kube-system',
      query: { labelSelector: `component=${name}` },
      refusable: true,
    }),
});

/** True for a Pod that has a node and no running container: it may lack a network. */
const isPendingOnNode = ({ spec, status }: Pod): boolean =>
  spec.nodeName !== undefined && status.phase === 'Pending';

/** Collects the Pods of the network plugin in all namespaces, if Pods of a backend lack a network or are not reached. */
export const networkPods = defineCollector({
  fact: 'networkPods',
  needs: [...brokenFacts, 'pods'],
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'whether the Pods of the network plugin run')],
  otherwise: 'Pods of the network plugin while all Pods of webhooks have a network',
  wants: (facts, readOptions) =>
    brokenBackends(facts, readOptions).some(
      (backend) => backend.failedProbe || podsOf(facts, backend).some(isPendingOnNode),
    )
      ? networkPluginSelectors
      : [],
  readEach: (access, labelSelector) =>
    access.list<Pod>(resources.Pod, {
      query: { labelSelector },
      selection: 'Pods of the network plugin',
      refusable: true,
    }),
});
