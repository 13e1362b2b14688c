import { complete } from '../../../facts/lookup.ts';
import type { Node } from '../../../facts/objects/node.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { isPodReady } from '../../../facts/workloads/pod-state.ts';
import { waitsForNodes } from '../../../facts/workloads/unscheduled.ts';
import { isRead } from '../../attempts.ts';
import { defineCollector, eachKey } from '../../collector.ts';

/**
 * Nodes that may be the cause: of a Pod that is not ready although its containers are, for which no kubelet
 * has reported a status, or that is stuck in Terminating.
 */
const nodeOf = (pod: Pod): readonly string[] => {
  const { metadata, spec, status } = pod;
  const containers = status.containerStatuses ?? [];
  const containersReady = containers.length > 0 && containers.every((container) => container.ready);
  const unspoken = status.phase === 'Pending' && containers.length === 0;
  const isNodeNeeded =
    metadata.deletionTimestamp !== undefined || (!isPodReady(pod) && (containersReady || unspoken));
  return isNodeNeeded && spec.nodeName !== undefined ? [spec.nodeName] : [];
};

/** The key for all Nodes, used if a Pod is not scheduled for an unknown reason. */
const every = '*';

export const nodes = defineCollector({
  fact: 'nodes',
  needs: ['pods'],
  permissions: [
    toRead(resources.Node, ['get'], 'cluster', 'the node of a Pod that is not healthy'),
    toRead(resources.Node, ['list'], 'cluster', 'taints that prevent a Pod from being scheduled'),
  ],
  atMost: 20,
  otherwise: 'a Node that no suspect replica runs on',
  wants(facts) {
    const pods = facts.pods.all().flat();
    return [...(pods.some(waitsForNodes) ? [every] : []), ...pods.flatMap(nodeOf)];
  },
  async read(access, keys) {
    const list = keys.includes(every) ? await access.list<Node>(resources.Node) : undefined;
    if (list !== undefined && isRead(list))
      return complete(list.value.map((node) => [node.metadata.name, node] as const));
    const names = keys.filter((key) => key !== every);
    return eachKey(names, (name) => access.get<Node>(resources.Node, name));
  },
});
