import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { defineCollector } from '../../collector.ts';

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
