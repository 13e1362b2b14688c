import { mayBeProxyFailure } from '../../apiserver/connection/own-call.ts';
import { calloutId } from '../../facts/callout.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { defineCollector, eachKey } from '../collector.ts';

/** The mirror Pods of kubeadm and what is built like it; managed control planes show none. */
export const apiServerPods = defineCollector({
  fact: 'apiServerPods',
  topics: ['failures'],
  needs: ['probes'],
  rights: [toRead(resources.Pod, ['list'], 'cluster', 'the proxy that kube-apiserver was started with')],
  otherwise: 'Pods of kube-apiserver while its calls do not fail as through a proxy',
  wants: ({ probes }, { chosen }) =>
    chosen.some((callout) => {
      const probed = probes.getIfKnown(calloutId(callout));
      return probed !== undefined && mayBeProxyFailure(callout, probed);
    })
      ? ['kube-apiserver']
      : [],
  read: (access, keys) =>
    eachKey(keys, (name) =>
      access.list<Pod>(resources.Pod, {
        namespace: 'kube-system',
        query: { labelSelector: `component=${name}` },
        refusable: true,
      }),
    ),
});
