import { mayCover } from '../../../apiserver/admission/impact.ts';
import { isHeld, podReferencesOf } from '../../../apiserver/held-pods/placeholder-scheduler.ts';
import type { Callout } from '../../../facts/callout.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { readMetadata } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';

const create = (group: string, resource: string) => ({
  operation: 'CREATE' as const,
  group,
  version: 'v1',
  resource,
});
/** The requests in which a webhook can hold Pods in Pending. */
const templates = [
  create('', 'pods'),
  create('apps', 'deployments'),
  create('apps', 'replicasets'),
  create('apps', 'statefulsets'),
  create('apps', 'daemonsets'),
  create('batch', 'jobs'),
];

/** Webhooks that may have set a placeholder schedulerName on Pods. */
export const mayHoldPods = (callout: Callout): boolean =>
  callout.kind === 'mutating' && templates.some((request) => mayCover(callout, request));

/** Collects the Pods without a node with one list over all namespaces, if webhooks are examined. */
export const pendingPods = defineCollector({
  fact: 'pendingPods',
  needs: [],
  permissions: [toRead(resources.Pod, ['list'], 'cluster', 'Pods that a webhook holds in Pending')],
  otherwise: 'Pending Pods (read only with --deep, and for named webhooks)',
  wants: (_facts, { chosen, examineAll: closely }) =>
    closely && chosen.some(mayHoldPods) ? ['Pending'] : [],
  readEach: (access) =>
    access.list<Pod>(resources.Pod, {
      query: { fieldSelector: 'status.phase=Pending' },
      selection: 'Pending Pods',
    }),
});

/** Returns the Pods without a node, of all namespaces. */
export const waitingPods = ({ pendingPods: pending }: Pick<Facts, 'pendingPods'>): readonly Pod[] =>
  pending.getIfKnown('Pending') ?? [];

/** Returns those of them that no scheduler may schedule, up to a limit. */
export const heldCandidates = (facts: Pick<Facts, 'pendingPods'>): readonly Pod[] =>
  waitingPods(facts).filter(isHeld).slice(0, 20);

/** Collects whether ConfigMaps and Secrets exist that Pending Pods wait for, by `Kind namespace/name`. */
export const podReferences = defineCollector({
  fact: 'podReferences',
  needs: ['pendingPods'],
  permissions: [resources.ConfigMap, resources.Secret].map((resource) =>
    toRead(
      resource,
      ['get'],
      'backends',
      'whether the objects that held Pods wait for exist (metadata only)',
    ),
  ),
  atMost: 20,
  otherwise: 'an object that no held Pod refers to',
  wants: (facts) =>
    heldCandidates(facts)
      .flatMap(podReferencesOf)
      .map((ref) => `${ref.kind} ${keyOf(ref)}`),
  readEach(access, key) {
    const [kind, of = ''] = key.split(' ');
    return readMetadata(access, kind === 'Secret' ? resources.Secret : resources.ConfigMap, of);
  },
});
