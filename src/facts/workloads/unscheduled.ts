import type { Node } from '../objects/node.ts';
import type { Pod, PodSpec } from '../objects/pod.ts';

/** The scheduler since 1.35: `1 node(s) had untolerated taint(s)`; before, it added the taint in braces. */
const unnamed = /untolerated taint(?:\(s\)|s)?(?! *\{|\(s\))/;

/** True if the scheduler's message counts nodes with taints that it does not name. */
export const mentionsUnnamedTaint = (text: string): boolean => unnamed.test(text);

/** Taints of a Node until a controller of the cluster has set it up, and removes them by an update of the Node. */
export const newNodeTaints = {
  network: 'node.kubernetes.io/network-unavailable',
  uninitialized: 'node.cloudprovider.kubernetes.io/uninitialized',
} as const;

/** True if a message names a taint of a Node that is not set up. */
export const namesNewNode = (text: string): boolean =>
  Object.values(newNodeTaints).some((taint) => text.includes(taint));

/** True if a Pod waits for a node because of taints, labels, cordoned nodes or extended resources: the Nodes say which. */
export const waitsForNodes = ({ spec, status }: Pod): boolean =>
  status.conditions?.some(
    ({ type, status: is, message = '' }) =>
      type === 'PodScheduled' &&
      is === 'False' &&
      (mentionsUnnamedTaint(message) ||
        /\bwere unschedulable\b|\bInsufficient \S+\//.test(message) ||
        (spec.nodeSelector !== undefined && message.includes('node affinity/selector'))),
  ) === true;

/**
 * Keys of a node's taints that the Pod does not tolerate. Every Pod tolerates `not-ready` and `unreachable`
 * for a limited time (NoExecute, admission plugin DefaultTolerationSeconds): the scheduler still does not
 * bind it to such a node (NoSchedule).
 */
export const untoleratedTaintKeys = ({ tolerations = [] }: PodSpec, { spec }: Node): readonly string[] =>
  (spec?.taints ?? [])
    .filter(
      (taint) =>
        taint.effect !== 'PreferNoSchedule' &&
        !tolerations.some(
          ({ key, operator, effect }) =>
            (key === taint.key || (!key && operator === 'Exists')) && (!effect || effect === taint.effect),
        ),
    )
    .map(({ key }) => key);
