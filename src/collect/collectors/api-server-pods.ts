import { mayBeProxyFailure } from '../../apiserver/connection/own-call.ts';
import { calloutId } from '../../facts/callout.ts';
import type { Pod } from '../../facts/objects.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { defineCollector } from '../collector.ts';
import { brokenBackends, brokenFacts } from '../suspicion.ts';

/**
 * The mirror Pods of the API servers, on clusters built by kubeadm or in the same way. Their image and flags
 * contain what `/version` of one server does not. Managed control planes have none.
 */
export const apiServerPods = defineCollector({
  fact: 'apiServerPods',
  needs: brokenFacts,
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'version, flags and proxy of kube-apiserver')],
  otherwise: 'Pods of kube-apiserver while no webhook is broken',
  wants: (facts, readOptions) =>
    // Their flags show the admission plugins of API servers whose metrics cannot be read.
    readOptions.metrics !== undefined ||
    brokenBackends(facts, readOptions).some(({ changedOnly }) => !changedOnly) ||
    readOptions.chosen.some((callout) => {
      const probed = facts.probes.getIfKnown(calloutId(callout));
      return probed !== undefined && mayBeProxyFailure(callout, probed);
    })
      ? ['kube-apiserver']
      : [],
  readEach: (access, name) =>
    access.list<Pod>(resources.Pod, {
      namespace: 'kube-system',
      query: { labelSelector: `component=${name}` },
      refusable: true,
    }),
});
