import type { Backend } from '../apiserver/routing/backends.ts';
import type { Evidence } from '../facts/evidence.ts';
import type { Facts, World } from '../facts/snapshot.ts';
import { logEvidence } from '../facts/workloads/pod-logs.ts';
import { lacksNetwork } from '../facts/workloads/pod-state.ts';
import { mentionsUnnamedTaint, untoleratedTaintKeys } from '../facts/workloads/unscheduled.ts';
import { refOfPod } from '../facts/workloads/workloads.ts';
import { type PodWithState, podsWithState, reasonText } from './bad-replicas.ts';

/** The services that system Pods provide to all other Pods: ready nodes, network, volumes, DNS. */
export type SystemService = 'nodes' | 'cloud' | 'taint' | 'network' | 'volumes' | 'claims' | 'names';

/** A service of the system that Pods of a backend wait for, with the message that reports it. */
export interface SystemWait {
  readonly for: SystemService;
  /** The provider, if the message names it: a driver, a provisioner, the address of a resolver, the key of a taint. */
  readonly of?: string;
  readonly evidence: Evidence;
}

/** The facts that show for which part of the system a Pod waits. */
export type WaitFacts = World<'pods' | 'events' | 'nodes' | 'secrets' | 'logs' | 'persistentVolumeClaims'>;

/** The taint of a new cloud node until the cloud controller manager has initialized it. */
const uninitialized = /node\.cloudprovider\.kubernetes\.io\/uninitialized/;

/** Example: 0/1 nodes are available: 1 node(s) had untolerated taint(s) {node.kubernetes.io/not-ready: }. */
const nodeNotReady = /node\.kubernetes\.io\/(not-ready|unreachable|network-unavailable)/;

/**
 * Taints that the agent of a product removes from a new node when it runs there:
 * `node.cilium.io/agent-not-ready`, `ebs.csi.aws.com/agent-not-ready`, `node.istio.io/untaint`.
 */
const untilAgentRuns =
  /^(?!(?:[\w-]+\.)*kubernetes\.io\/).+\/.*(?:not-?ready|uninitialized|not-initialized|untaint)/;

/** Errors of kubelet and attach-detach controller (volume/csi) without the driver's Pod on the node. */
const driverMissing =
  /driver name (\S+) not found in the list of registered CSI drivers|CSINode \S+ does not contain driver (\S+)/;

/** Errors of the scheduler about a claim that is not bound: immediately, or after a node was selected. */
const claimUnbound = /unbound immediate PersistentVolumeClaims|running PreBind plugin "VolumeBinding"/;
/** Messages of the volume controller on a claim that waits for an external provisioner (pv_controller). */
const provisioners = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
];

/** Errors of Go, glibc and Node.js for a DNS server that does not respond, not for a missing name. */
const noResolver =
  /lookup \S+ on \[?([^\s\]]+)\]?:\d+: .*(?:i\/o timeout|connection refused)|Temporary failure in name resolution|EAI_AGAIN|query[A-Z]\w* E(?:CONNREFUSED|TIMEOUT)/;

/** Returns what a Pod waits for on its nodes, if the scheduler's message mentions taints but names none. */
function waitByTaints({ pod, state }: PodWithState, { nodes }: WaitFacts): SystemWait | undefined {
  if (state.state !== 'unschedulable' || !mentionsUnnamedTaint(state.text ?? '')) return undefined;
  const kept = nodes.all().map((node) => ({ node, keys: untoleratedTaintKeys(pod.spec, node) }));
  for (const [service, taints] of [
    ['cloud', uninitialized],
    ['nodes', nodeNotReady],
  ] as const) {
    for (const { node, keys } of kept) {
      const value = keys.find((key) => taints.test(key));
      const object = { kind: 'Node', name: node.metadata.name };
      if (value !== undefined) return { for: service, evidence: { object, field: 'spec.taints', value } };
    }
  }
  if (kept.some(({ keys }) => keys.length === 0)) return undefined;
  for (const { node, keys } of kept) {
    const of = keys.find((key) => untilAgentRuns.test(key));
    const object = { kind: 'Node', name: node.metadata.name };
    if (of !== undefined) return { for: 'taint', of, evidence: { object, field: 'spec.taints', value: of } };
  }
  return undefined;
}

const ofPod = ({ pod, state }: PodWithState): Evidence => ({
  object: refOfPod(pod),
  field: 'status',
  value: reasonText(state),
});

function lineOfLog({ pod }: PodWithState, { logs }: Pick<Facts, 'logs'>): SystemWait | undefined {
  const { namespace = '', name } = pod.metadata;
  for (const [key, text] of logs.entries()) {
    const [inNamespace, ofThis, container] = key.split('/');
    if (inNamespace !== namespace || ofThis !== name) continue;
    const line = text.split('\n').findLast((one) => noResolver.test(one));
    if (line === undefined) continue;
    const [, address] = noResolver.exec(line) ?? [];
    const evidence = logEvidence(refOfPod(pod), container ?? '', line.trim());
    return { for: 'names', ...(address === undefined ? {} : { of: address }), evidence };
  }
  return undefined;
}

/** The provisioner of the volume for a claim of this Pod. */
function provisionerOf(
  { pod }: PodWithState,
  { persistentVolumeClaims }: Pick<Facts, 'persistentVolumeClaims'>,
): string | undefined {
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const key = `${pod.metadata.namespace}/${persistentVolumeClaim.claimName}`;
    const { annotations = {} } = persistentVolumeClaims.getIfKnown(key) ?? {};
    const named = provisioners.flatMap((annotation) => annotations[annotation] ?? []);
    if (named.length > 0) return named[0];
  }
  return undefined;
}

/** The system service that the Pods of a backend wait for. Throws NotKnown if they were not read. */
export function systemWaitOf(backend: Backend, facts: WaitFacts): SystemWait | undefined {
  const podStates = podsWithState(backend, facts);
  const says = (wanted: RegExp, state?: string) =>
    podStates.find(
      (one) => wanted.test(one.state.text ?? '') && (state ?? one.state.state) === one.state.state,
    );
  const node =
    says(uninitialized, 'unschedulable') ??
    podStates.find(({ state }) => state.state === 'node-not-ready') ??
    says(nodeNotReady, 'unschedulable');
  if (node !== undefined) {
    const cloud = uninitialized.test(node.state.text ?? '');
    return { for: cloud ? 'cloud' : 'nodes', evidence: ofPod(node) };
  }
  const tainted = podStates.map((one) => waitByTaints(one, facts)).find((found) => found !== undefined);
  if (tainted !== undefined) return tainted;
  const network = podStates.find(({ state }) => lacksNetwork(state));
  if (network !== undefined) return { for: 'network', evidence: ofPod(network) };
  const volume = says(driverMissing);
  if (volume !== undefined) {
    const [, byKubelet, byController] = driverMissing.exec(volume.state.text ?? '') ?? [];
    return { for: 'volumes', of: byKubelet ?? byController ?? '', evidence: ofPod(volume) };
  }
  const claim = says(claimUnbound, 'unschedulable');
  if (claim !== undefined) {
    const provisioner = provisionerOf(claim, facts);
    if (provisioner !== undefined) return { for: 'claims', of: provisioner, evidence: ofPod(claim) };
  }
  return podStates.map((one) => lineOfLog(one, facts)).find((found) => found !== undefined);
}
