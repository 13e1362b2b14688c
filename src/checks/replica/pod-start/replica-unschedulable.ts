import { groupBy } from '../../../basics/collections.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { newestEventsFirst } from '../../../facts/objects/event.ts';
import { selects } from '../../../facts/objects/label-selector.ts';
import type { Node } from '../../../facts/objects/node.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Facts, World } from '../../../facts/snapshot.ts';
import { replicaPods } from '../../../facts/workloads/replicas.ts';
import {
  mentionsUnnamedTaint,
  newNodeTaints,
  untoleratedTaintKeys,
} from '../../../facts/workloads/unscheduled.ts';
import { newestRevision, podNameStem } from '../../../facts/workloads/workloads.ts';
import { brief } from '../../../phrases/brief.ts';
import { listed } from '../../../phrases/lists.ts';
import { inState, podsText } from '../../../pods/bad-replicas.ts';
import { type Finding, latent, type Messages } from '../../check.ts';
import { badPodsCheck, type ReportBadPods } from '../bad-pods-check.ts';

/** What keeps a Pod from every node, by the scheduler's messages (kubernetes pkg/scheduler/framework/plugins). */
const reasons = [
  ['resources', /\bInsufficient |\bToo many pods\b/],
  ['labels', /didn't match Pod's node affinity\/selector/],
  ['taints', /had untolerated taint/],
  ['cordoned', /\bwere unschedulable\b/],
  ['topology', /topology spread constraints \(missing required label\)/],
  ['spread', /anti-affinity rules|topology spread constraints/],
  ['volume', /persistentvolumeclaim|PersistentVolume|volume node affinity/],
] as const;

/**
 * The only reason in a message of the scheduler; `all` if it gives several or another one:
 * `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …`.
 */
function reasonIn(text: string): (typeof reasons)[number][0] | 'noNode' | 'all' {
  if (text.includes('no nodes available to schedule')) return 'noNode';
  const [, given = ''] =
    /nodes are available: (.*?)(?:\. (?:no new claims|preemption)\b.*)?$/s.exec(text) ?? [];
  const parts = given.split(/, (?=\d+ )/);
  const found = reasons.find(([, pattern]) => parts.every((part) => pattern.test(part)));
  return found?.[0] ?? 'all';
}

/** Taints of the node controller, and the conditions of the kubelet that they stand for. */
const pressures: ReadonlyMap<string, string> = new Map([
  ['node.kubernetes.io/memory-pressure', 'MemoryPressure'],
  ['node.kubernetes.io/disk-pressure', 'DiskPressure'],
  ['node.kubernetes.io/pid-pressure', 'PIDPressure'],
]);

/** Taints of the node controller on nodes that do not report, or report that they are not Ready. */
const ofDownNode: ReadonlySet<string | undefined> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);
const ofKubernetes = 'node.kubernetes.io/';

/** The keys of the taints that a message of the scheduler names. */
const namedTaints = (text: string): readonly string[] =>
  [...text.matchAll(/untolerated taint\(?s?\)? \{([^\s:=}]+)/g)].map(([, key = '']) => key);

/** Whether a message names only taints of nodes that are not ready: of the node controller, a network plugin or a CSI driver. */
function namesUnreadyNodes(text: string): boolean {
  const named = namedTaints(text);
  return named.length > 0 && named.every((key) => ofDownNode.has(key) || key.endsWith('/agent-not-ready'));
}

/** The message about the taint of a node that is not ready or not set up, if a message of the scheduler names no other one. */
function newNodeTaint(text: string, tainted: readonly TaintedNode[]) {
  if (tainted.length === 0 && namesUnreadyNodes(text)) return 'notReady' as const;
  const keys = new Set([...namedTaints(text), ...tainted.flatMap((node) => node.keys)]);
  const [message, ...others] = (['network', 'uninitialized'] as const).filter((id) =>
    keys.delete(newNodeTaints[id]),
  );
  return keys.size === 0 && others.length === 0 ? message : undefined;
}

interface TaintedNode {
  readonly name: string;
  /** Keys of the taints that the Pod does not tolerate. */
  readonly keys: readonly string[];
}

/** Every node; none if not all could be read. */
const everyNode = ({ nodes }: Pick<Facts, 'nodes'>): readonly Node[] =>
  nodes.incomplete === undefined ? nodes.all() : [];

/** The taints that keep a Pod from every node. Empty if not all nodes could be read, or one has none by now. */
function taintsFor(pod: Pod, facts: Pick<Facts, 'nodes'>): readonly TaintedNode[] {
  const all = everyNode(facts).map((node) => ({
    name: node.metadata.name,
    keys: untoleratedTaintKeys(pod.spec, node),
  }));
  return all.every(({ keys }) => keys.length > 0) ? all : [];
}

const nodesText = (tainted: readonly TaintedNode[]): string =>
  listed(
    tainted.map(({ name }) => name),
    { most: 3 },
  );

/** `node.kubernetes.io/memory-pressure on node1; gpu on node2 and node3` */
const taintText = (tainted: readonly TaintedNode[]): string =>
  [...groupBy(tainted, ({ keys }) => listed(keys)).entries()]
    .map(([keys, alike]) => `${keys} on ${nodesText(alike)}`)
    .join('; ');

const isDown = ({ keys }: TaintedNode): boolean => keys.some((key) => ofDownNode.has(key));

/** The conditions that the taints stand for, each once; undefined for a taint that stands for none. */
const conditionsOf = (tainted: readonly TaintedNode[]): readonly (string | undefined)[] => [
  ...new Set(tainted.flatMap(({ keys }) => keys.map((key) => pressures.get(key)))),
];

/** The first node, and its taint if a person has set it. */
function namesIn([first]: readonly TaintedNode[]) {
  const [key = ofKubernetes] = first?.keys ?? [];
  return { node: first?.name, taint: key.startsWith(ofKubernetes) ? undefined : key };
}

/** The only resource that is insufficient, if no known node offers it: an extended one, of a device plugin. */
function absentResource(text: string, facts: Pick<Facts, 'nodes'>): string | undefined {
  const lacking = new Set(
    [...text.matchAll(/\bInsufficient (\S+?)[.,]?(?=\s|$)/g)].map(([, name = '']) => name),
  );
  const [resource = '', ...others] = lacking;
  if (!resource.includes('/') || others.length > 0) return undefined;
  const all = everyNode(facts);
  const offers = all.some(({ status }) => (status?.allocatable?.[resource] ?? '0') !== '0');
  return all.length === 0 || offers ? undefined : resource;
}

/** A claim of the Pod that is not provisioned, and the error of its Event. */
function unboundClaim({ metadata, spec }: Pod, { events }: Pick<Facts, 'events'>) {
  const claims = (spec.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
  const failed = newestEventsFirst(
    (events.getIfKnown(metadata.namespace ?? '') ?? []).filter(
      ({ reason, involvedObject: { kind, name = '' } }) =>
        reason === 'ProvisioningFailed' && kind === 'PersistentVolumeClaim' && claims.includes(name),
    ),
  )[0];
  return failed === undefined
    ? undefined
    : { claim: failed.involvedObject.name ?? '', detail: brief(failed.message ?? '') };
}

/** The newest Event about the preemption of a Pod of the same workload; its other Pod has the higher priority. */
function preemption(pod: Pod, { failedCreateEvents }: Pick<Facts, 'failedCreateEvents'>) {
  const { namespace } = pod.metadata;
  const stem = podNameStem(pod.metadata.name);
  const [newest] = newestEventsFirst(failedCreateEvents.getIfKnown('Preempted') ?? []).filter(
    ({ involvedObject: { kind, namespace: place, name = '' } }) =>
      kind === 'Pod' && place === namespace && podNameStem(name) === stem,
  );
  const { name } = newest?.related ?? {};
  if (newest === undefined || name === undefined) return undefined;
  const preemptor = `Pod ${keyOf({ namespace: newest.related?.namespace, name })}`;
  return { victim: newest.involvedObject.name ?? '', preemptor };
}

/** The labels of `nodeSelector` that no known node has, as `KEY=VALUE`. */
function missingLabels({ spec }: Pod, facts: Pick<Facts, 'nodes'>): readonly string[] {
  const known = everyNode(facts);
  if (known.length === 0) return [];
  return Object.entries(spec.nodeSelector ?? {})
    .filter(([key, value]) => known.every(({ metadata }) => metadata.labels?.[key] !== value))
    .map(([key, value]) => `${key}=${value}`);
}

/** The labels of nodes that a Pod's constraints require, without those that a known node has. */
function missingTopologyKeys({ spec }: Pod, facts: Pick<Facts, 'nodes'>): readonly string[] {
  const known = everyNode(facts);
  const keys = (spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, whenUnsatisfiable }) =>
    whenUnsatisfiable === 'ScheduleAnyway' ? [] : [topologyKey],
  );
  const missing = keys.filter((key) => !known.some(({ metadata }) => metadata.labels?.[key] !== undefined));
  return missing.length > 0 ? missing : keys;
}

/** The Pods of older revisions on nodes, next to which the anti-affinity of a new Pod forbids to schedule it. */
function replacedPods({ spec, metadata }: Pod, pods: readonly Pod[]): readonly Pod[] {
  const replicas = replicaPods(pods);
  const newest = newestRevision(replicas);
  if (!newest.some((one) => one.metadata.name === metadata.name)) return [];
  const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return replicas.filter(
    (old) =>
      old.spec.nodeName !== undefined &&
      !newest.includes(old) &&
      terms.some(({ labelSelector = {} }) => selects(labelSelector, old.metadata.labels ?? {})),
  );
}

const advice =
  '[look] Read the reason for each node: `kubectl -n {namespace} describe pod {pod}`. [end] Correct the Pod template, or the nodes: `kubectl -n {namespace} edit {workload}`.';

const messages = {
  all: '{pods} cannot be scheduled ({detail})',
  noNode: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: the cluster has no node ({detail})',
    advice:
      '[end] Add a node. [look] If there are machines, read in the log of their kubelet why they do not join: `kubectl get nodes`.',
  },
  resources: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: no node has enough free resources ({detail})',
    advice:
      '[look] Compare the requests with the free resources of the nodes: `kubectl describe nodes`. [end] Add a node, scale down other workloads, or lower the requests: `kubectl -n {namespace} edit {workload}`. [with] A higher priority displaces Pods of a lower one: `priorityClassName: system-cluster-critical`.',
  },
  preempted: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: {preemptor} has a higher priority and preempted Pod {victim} ({detail})',
    advice:
      '[end] Give the webhook a priority that is not lower: set `priorityClassName: system-cluster-critical`: `kubectl -n {namespace} edit {workload}`. [end] Or scale down the workload with the higher priority, or add a node. [look] Compare the requests with the free resources: `kubectl describe nodes`.',
  },
  absent: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: no node offers the resource {resource}',
    advice:
      '[look] A device plugin offers such resources, usually as a DaemonSet: find out why the plugin does not run, or does not offer the resource (`kubectl describe nodes`). [end] If the webhook does not need the resource, remove the request: `kubectl -n {namespace} edit {workload}`.',
  },
  selector: {
    text: '{pods} cannot be scheduled: no node has the label {missing}, which nodeSelector requires',
    advice:
      '[end] If a node is intended for these Pods, label it: `kubectl label node {chosen} {label}`. [end] Otherwise correct `nodeSelector`: `kubectl -n {namespace} edit {workload}`.',
  },
  labels: {
    text: '{pods} cannot be scheduled: no node has the required labels ({detail})',
    advice:
      '[look] Compare `nodeSelector` and `nodeAffinity` with the labels: `kubectl get nodes --show-labels`. [end] Label a node, or correct `nodeSelector` and `nodeAffinity`: `kubectl -n {namespace} edit {workload}`.',
  },
  taints: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: every node has a taint without a matching toleration ({detail})',
    advice:
      '[end] Add a toleration to the Pod template: `kubectl -n {namespace} edit {workload}`. [end] Or remove the taint, if nothing needs it: `kubectl taint nodes {node} {taint}-`. [with] Kubernetes removes taints of `node.kubernetes.io` when the node is healthy. [look] Read the conditions of the nodes: `kubectl describe nodes`.',
  },
  notReady: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: no node is ready for Pods ({detail})',
    advice:
      '[look] Read why the nodes are not Ready: `kubectl describe nodes`. [look] Check the Pods of the network plugin, or of the CSI driver that the taint names: `kubectl get pods -A -o wide`. [with] Kubernetes removes the taint when the node is ready.',
  },
  network: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: no node has a network ({detail})',
    advice:
      '[with] The taint is removed when the network plugin, or the route controller of the cloud, has initialized the node. [look] Check the Pods of the network plugin: `kubectl get pods -A -o wide`. [look] Read the condition NetworkUnavailable: `kubectl describe nodes`.',
  },
  uninitialized: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: the cloud controller manager has initialized no node yet ({detail})',
    advice:
      '[with] The cloud controller manager removes this taint. [look] Check the Pods of the cloud controller manager: `kubectl -n kube-system get pods -o wide`. [end] If there are no such Pods, install the cloud controller manager, or start the kubelet without `--cloud-provider=external`.',
  },
  down: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: no node is Ready ({nodes})',
    advice:
      '[end] Bring a node back: its machine, its kubelet or its container runtime. [see] The conditions of the node: `kubectl describe node {node}`. [end] Or add a node.',
  },
  pressure: {
    sharedCause: true,
    text: '{pods} cannot be scheduled while every node has the condition {conditions} ({nodes})',
    advice:
      '[look] Find out which Pods use up the resource: `kubectl describe node {node}`. [end] Free that resource, or add a node. [end] The kubelet evicts Pods until the pressure ends, first Pods that use more than they request: set requests: `kubectl -n {namespace} edit {workload}`.',
  },
  cordoned: {
    sharedCause: true,
    text: '{pods} cannot be scheduled: every node is cordoned ({detail})',
    advice:
      '[end] If the maintenance of a node is over, uncordon it: `kubectl uncordon {node}`. [end] Or add a node.',
  },
  spread: {
    text: '{pods} cannot be scheduled next to other Pods ({detail})',
    advice:
      'Add a node, or relax `podAntiAffinity` and `topologySpreadConstraints`: `kubectl -n {namespace} edit {workload}`.',
  },
  topology: {
    text: '{pods} cannot be scheduled: no node has the label {keys}, which topologySpreadConstraints require ({detail})',
    advice:
      '[look] Compare `topologyKey` with the labels of the nodes: `kubectl get nodes --show-labels`. [end] Label the nodes, or set `whenUnsatisfiable: ScheduleAnyway`: `kubectl -n {namespace} edit {workload}`.',
  },
  replaced: {
    text: '{pods} of the new revision cannot be scheduled: its anti-affinity excludes the nodes of {old}, which the rollout keeps until then ({detail})',
    advice:
      '[end] Delete the Pod of the old revision, so that the new one takes its place: `kubectl -n {namespace} delete pod {pod}`. [prevent] To avoid this in the next rollout, set `maxUnavailable: 1` and `maxSurge: 0`, or relax `podAntiAffinity`: `kubectl -n {namespace} edit {workload}`.',
  },
  volume: {
    text: '{pods} cannot be scheduled: a volume is missing or not available ({detail})',
    advice:
      '[look] Read the PersistentVolumeClaims: `kubectl -n {namespace} get persistentvolumeclaims`. [end] Create the missing claim, or find out why the claim is not bound: `kubectl -n {namespace} describe pod {pod}`.',
  },
  claimMissing: {
    text: '{pods} cannot be scheduled: PersistentVolumeClaim {claim} does not exist',
    advice:
      '[end] Create the claim where it is declared, or correct `claimName`: `kubectl -n {namespace} edit {workload}`. [end] A StatefulSet creates the claims of its `volumeClaimTemplates` with the Pod: delete the Pod. [see] The claims of the namespace: `kubectl -n {namespace} get persistentvolumeclaims`.',
  },
  claim: {
    text: '{pods} cannot be scheduled: PersistentVolumeClaim {claim} is not bound: {detail}',
    advice:
      '[look] Compare `storageClassName` of the claim with the StorageClasses: `kubectl get storageclasses`. [see] The Events of the claim: `kubectl -n {namespace} describe persistentvolumeclaim {claim}`. [end] To change the class of the claim, delete the claim, and correct it where it is declared.',
  },
  gated: {
    text: '{pods} cannot be scheduled because of scheduling gates ({gates})',
    advice:
      '[look] Find the controller that removes these gates, and read its log. [end] If there is no such controller, remove the mutating webhook that adds them, or `schedulingGates` from the Pod template: `kubectl -n {namespace} edit {workload}`.',
  },
  ignored: {
    text: '{pods} cannot be scheduled: scheduler {scheduler} has made no decision',
    advice:
      '[end] Start that scheduler. [end] If no scheduler has this name, correct `schedulerName`: `kubectl -n {namespace} edit {workload}`.',
  },
  some: latent('{pods} cannot be scheduled ({detail}); other Pods serve requests'),
  stuckRollout: latent(
    '{pods} of the new revision cannot be scheduled: anti-affinity excludes the nodes of {old}, which the rollout keeps until new Pods are Ready',
    '[end] Let the rollout delete an old Pod first (maxSurge 0, maxUnavailable 1): `kubectl -n {namespace} edit {workload}`. [end] Or relax `podAntiAffinity`. [with] With one replica, requests are refused until the new Pod is Ready.',
  ),
} as const satisfies Messages;

type SchedulingFacts = World<'nodes' | 'events' | 'failedCreateEvents'>;
type Report = ReportBadPods<typeof messages, typeof advice>;

/** A Pod that cannot be scheduled, and the message of the scheduler. */
interface Unscheduled {
  readonly pod: Pod;
  readonly text: string;
  readonly detail: string;
  /** Pods of older revisions beside which it must not run. */
  readonly replaced: readonly Pod[];
}

/** Reports more than the message of the scheduler says. */
type Explain = (about: Unscheduled, facts: SchedulingFacts, report: Report) => Finding | undefined;

const ofResources: Explain = ({ pod, text, detail }, facts, report) => {
  const resource = absentResource(text, facts);
  if (resource !== undefined) return report('absent', { resource });
  const preempted = preemption(pod, facts);
  return preempted && report('preempted', { ...preempted, detail });
};

const ofTopology: Explain = ({ pod, detail }, facts, report) =>
  report('topology', { detail, keys: listed(missingTopologyKeys(pod, facts)) });

const ofLabels: Explain = ({ pod }, facts, report) => {
  const labels = missingLabels(pod, facts);
  // In a command, several labels would be quoted as one word.
  const label = labels.length === 1 ? labels[0] : undefined;
  return labels.length === 0 ? undefined : report('selector', { missing: listed(labels) }, { label });
};

const ofSpread: Explain = ({ detail, replaced: [first, ...others] }, _facts, report) =>
  first && report('replaced', { detail, old: podsText([first, ...others]) }, { pod: first.metadata.name });

const ofVolume: Explain = ({ pod, text }, facts, report) => {
  const [, absent] = /persistentvolumeclaim "([^"]+)" not found/.exec(text) ?? [];
  if (absent !== undefined) return report('claimMissing', { claim: absent });
  // A claim with an affinity for nodes is bound, whatever its older Events report.
  const unbound = text.includes('volume node affinity conflict') ? undefined : unboundClaim(pod, facts);
  return unbound && report('claim', unbound, { claim: unbound.claim });
};

const ofCordons: Explain = ({ detail }, { nodes }, report) => {
  const names = nodes.all().flatMap(({ spec, metadata }) => (spec?.unschedulable ? metadata.name : []));
  const named = names.length > 0 ? listed(names, { most: 3 }) : detail;
  return report('cordoned', { detail: named }, { node: names[0] });
};

const ofTaints: Explain = ({ pod, text, detail }, facts, report) => {
  const tainted = mentionsUnnamedTaint(text) ? taintsFor(pod, facts) : [];
  const shown = tainted.length === 0 ? detail : taintText(tainted);
  const ofNew = newNodeTaint(text, tainted);
  if (ofNew !== undefined) return report(ofNew, { detail: shown });
  const names = namesIn(tainted);
  const nodes = nodesText(tainted);
  if (tainted.length > 0 && tainted.every(isDown)) return report('down', { nodes }, names);
  const conditions = conditionsOf(tainted);
  return tainted.length === 0 || conditions.includes(undefined)
    ? report('taints', { detail: shown }, names)
    : report('pressure', { nodes, conditions: listed(conditions.map(String), { word: 'or' }) }, names);
};

const byReason: { readonly [R in ReturnType<typeof reasonIn>]?: Explain } = {
  resources: ofResources,
  topology: ofTopology,
  labels: ofLabels,
  spread: ofSpread,
  volume: ofVolume,
  cordoned: ofCordons,
  taints: ofTaints,
};

export const replicaUnschedulable = badPodsCheck({
  id: 'replica-unschedulable',
  title: 'Pod cannot be scheduled',
  why: 'A Pod without a node has no address and is not an endpoint of the Service. The API server cannot reach it.',
  advice,
  messages,
  // The scheduler reports a binding that a webhook rejects.
  follows: ['bootstrap-deadlock', 'host-network-port-conflict'],
  references: ['/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-pending'],
  alsoRequires: ['failedCreateEvents'],
  isBad: inState('unschedulable'),
  run({ backend, extent, first: { pod, state } }, facts, report) {
    const text = state.text ?? state.reason ?? '';
    const reason = reasonIn(text);
    const replaced = reason === 'spread' ? replacedPods(pod, facts.pods.get(backend.key) ?? []) : [];
    const detail = brief(text);
    if (extent !== 'all')
      return report(replaced.length === 0 ? 'some' : 'stuckRollout', { detail, old: podsText(replaced) });
    if (state.reason === 'SchedulingGated')
      return report('gated', { gates: (pod.spec.schedulingGates ?? []).map(({ name }) => name).join(', ') });
    if (state.reason === 'NoScheduler')
      return report('ignored', { scheduler: pod.spec.schedulerName ?? 'default-scheduler' });
    const explained = byReason[reason]?.({ pod, text, detail, replaced }, facts, report);
    return explained ?? report(reason as 'all', { detail });
  },
});
