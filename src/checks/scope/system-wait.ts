import type { Facts } from '../../facts/snapshot.ts';
import { refOfPod } from '../../facts/workloads.ts';
import type { Backend } from '../backends.ts';
import { type JudgedPod, judgedPods, sayingOf } from '../bad-replicas.ts';
import type { Evidence } from '../check.ts';

/** What the Pods of the system give to every other Pod: a node that is ready, volumes, names. */
export type SystemService = 'nodes' | 'volumes' | 'names';

/** What Pods of a backend wait for that Pods of the system should give, in the words of whoever says so. */
export interface SystemWait {
  readonly for: SystemService;
  readonly evidence: Evidence;
}

/** 0/1 nodes are available: 1 node(s) had untolerated taint(s) {node.kubernetes.io/not-ready: }. */
const nodeNotReady =
  /node\.kubernetes\.io\/(not-ready|unreachable|network-unavailable)|node\.cloudprovider\.kubernetes\.io\/uninitialized/;

/** The kubelet and the attach-detach controller (pkg/volume/csi) of a driver whose Pod does not run on the node. */
const driverMissing = /not found in the list of registered CSI drivers|CSINode \S+ does not contain driver/;

/** Go, glibc, Node.js: nobody answers at the resolver's address. A name that does not exist is another matter. */
const noResolver =
  /lookup \S+ on \S+: .*(i\/o timeout|connection refused)|Temporary failure in name resolution|EAI_AGAIN/;

const ofPod = ({ pod, state }: JudgedPod): Evidence => ({
  object: refOfPod(pod),
  field: 'status',
  value: sayingOf(state),
});

function logOf({ pod }: JudgedPod, { logs }: Pick<Facts, 'logs'>): Evidence | undefined {
  const { namespace = '', name } = pod.metadata;
  for (const [key, text] of logs.entries()) {
    const [inNamespace, ofThis, container] = key.split('/');
    if (inNamespace !== namespace || ofThis !== name) continue;
    const line = text.split('\n').findLast((one) => noResolver.test(one));
    if (line !== undefined)
      return { object: refOfPod(pod), field: `log of ${container}`, value: line.trim() };
  }
  return undefined;
}

/** Throws NotKnown where the Pods of the backend could not be read. */
export function systemWaitOf(
  backend: Backend,
  facts: Pick<Facts, 'pods' | 'events' | 'nodes' | 'secrets' | 'logs'>,
  takenAt: string,
): SystemWait | undefined {
  const judged = judgedPods(backend, facts, takenAt);
  const says = (wanted: RegExp) => judged.find(({ state }) => wanted.test(state.text ?? ''));
  const node =
    judged.find(({ state }) => state.state === 'node-not-ready') ??
    judged.find(({ state }) => state.state === 'unschedulable' && nodeNotReady.test(state.text ?? ''));
  if (node !== undefined) return { for: 'nodes', evidence: ofPod(node) };
  const volume = says(driverMissing);
  if (volume !== undefined) return { for: 'volumes', evidence: ofPod(volume) };
  const log = judged.map((one) => logOf(one, facts)).find((found) => found !== undefined);
  return log && { for: 'names', evidence: log };
}
