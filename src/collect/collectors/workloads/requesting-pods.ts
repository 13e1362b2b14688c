import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { hasEnded } from '../../../facts/workloads/pod-state.ts';
import { isInjector, mayLackInjection } from '../../../products/requested-injection.ts';
import { systemNamespaces } from '../../../products/system-namespaces.ts';
import { isRead } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';

/** The maximum number of Pods that are read, in one page: of a plain run, and if webhooks are examined. */
const atMostPods = { plain: 500, examined: 2000 };

/**
 * Collects Pods that request injection, with one list over all namespaces: none without injectors. The list begins with
 * the first namespaces of the alphabet, and ends at {@link atMostPods}.
 */
export const requestingPods = defineCollector({
  fact: 'requestingPods',
  needs: ['namespaces'],
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'Pods that request a sidecar and have none')],
  otherwise: 'Pods that request injection, without injectors',
  wants: (_facts, { chosen }) => (chosen.some(isInjector) ? ['Pods'] : []),
  async read(access, [key = ''], facts, { chosen, examineAll }) {
    const reading = await access.list<Pod>(resources.Pod, {
      query: { limit: examineAll ? atMostPods.examined : atMostPods.plain },
      selection: 'Pods that request injection',
      extra: !examineAll,
      ...(examineAll && {
        whyDropped: (left: number, kept: number) => `only the first ${kept} of ${left + kept} Pods were read`,
      }),
    });
    if (!isRead(reading)) return new Map([[key, reading]]);
    const spared = systemNamespaces(facts);
    const injectors = chosen.filter(isInjector);
    const requesting = reading.value.filter((pod) => {
      const { namespace = '' } = pod.metadata;
      const home = spared.includes(namespace) ? undefined : facts.namespaces.getIfKnown(namespace);
      return home !== undefined && !hasEnded(pod) && mayLackInjection(pod, home, injectors);
    });
    return new Map([[key, { value: requesting }]]);
  },
});
