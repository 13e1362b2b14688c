import { impactOf } from '../../apiserver/admission/impact.ts';
import type { MatchFacts } from '../../apiserver/admission/match.ts';
import { matchEvidence } from '../../apiserver/admission/match-evidence.ts';
import { vital } from '../../apiserver/admission/vital-request.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import { probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { hasFailed, usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { secondsSince } from '../../basics/time.ts';
import { calloutId, failsOpen, isAdmission } from '../../facts/callout.ts';
import { complete } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { isCrashing, lastingStatuses } from '../../facts/workloads/container-crash.ts';
import { isPodReady, lacksSandbox, missingHandler, startupSeconds } from '../../facts/workloads/pod-state.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { podsText, podsWithState } from '../../pods/bad-replicas.ts';
import { isCutOff } from '../../pods/cut-off.ts';
import { defineCheck } from '../check.ts';

/** Why a Pod of the network plugin does not serve its node; undefined if it does, or just started. */
function failureOf(pod: Pod, takenAt: string): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isPodReady(pod)) return undefined;
  if (lastingStatuses(pod).some((status) => isCrashing(status, takenAt))) return 'is crash-looping';
  const age = secondsSince(pod.metadata.creationTimestamp, takenAt) ?? 0;
  return age > startupSeconds ? 'is not Ready' : undefined;
}

/** Nodes have no namespace, and one version. */
const aboutNodes: MatchFacts = { namespaces: complete([]), served: complete([]) };
const ofStatus = vital('UPDATE', 'v1', 'nodes/status');
const ofCalico = [vital('UPDATE', 'v1', 'nodes'), ofStatus];
/**
 * Updates of a Node by a plugin, by the label of its Pods: the condition NetworkUnavailable, and annotations. By
 * default, the ClusterRoles of VPC CNI, kindnet and the agent of Cilium permit no update of a Node.
 */
const updatesOfNodes: ReadonlyMap<string, typeof ofCalico> = new Map([
  ['calico-node', ofCalico],
  ['canal', ofCalico],
  ['flannel', [ofStatus]],
]);

const updatesBy = ({ metadata: { labels } }: Pod) =>
  updatesOfNodes.get(labels?.['k8s-app'] ?? labels?.app ?? '') ?? [];

export const networkPluginFailing = defineCheck({
  meta: {
    id: 'network-plugin-failing',
    title: 'Network plugin fails on the node of the webhook',
    consequence: 'failing',
    why: 'A network plugin runs a Pod on each node that connects the other Pods there. While that Pod fails, new Pods stay in ContainerCreating, and packets between the nodes are lost.',
    advice:
      '[look] Read the Events of the failing Pod: `kubectl -n {place} describe pod {pod}`. [look] Read the log of the container that fails: `kubectl -n {place} logs {pod} --all-containers --ignore-errors --prefix`. [with] The webhook works again when this Pod is Ready.',
    noRemedy: 'in-the-network',
    sharedCause: true,
    messages: {
      sandbox:
        'Pod {plugin} of the network plugin {failure} on node {node}: {pods} cannot get a network there',
      loss: 'Pod {plugin} of the network plugin {failure} on node {node}: packets of the control plane to {pods} are lost',
      deadlock: {
        title: 'Webhook intercepts updates of Nodes by its network plugin',
        text: 'Pod {plugin} of the network plugin {failure} on node {node}; {webhook}, whose Pods need the plugin, intercepts updates of Nodes by the plugin',
        advice:
          '[look] Read in the log of the plugin whether this webhook refuses its updates: `kubectl -n {place} logs {pod} --all-containers --ignore-errors --prefix`. [end] If so, set failurePolicy of the webhook to Ignore until its Pods are Ready: `kubectl edit {kind} {configuration}` (no webhook is called for this change). [prevent] Then remove Nodes from its rules, or exclude the ServiceAccount of the plugin by `matchConditions`.',
      },
    },
    references: ['/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/'],
    follows: ['replica-node-not-ready', 'bootstrap-deadlock'],
  },
  requires: [
    ...new Set([...probeFacts, ...(['pods', 'events', 'nodes', 'secrets', 'networkPods'] as const)]),
  ],
  subjects: (facts) =>
    facts.networkPods
      .all()
      .flat()
      .some((pod) => failureOf(pod, facts.takenAt) !== undefined)
      ? examinedBackends(facts)
      : [],
  run(backend, facts, find) {
    const { callout } = backend;
    const broken = facts.networkPods
      .all()
      .flat()
      .flatMap((pod) => {
        const failure = failureOf(pod, facts.takenAt);
        return failure === undefined ? [] : [{ pod, failure }];
      });
    const isProbed = facts.probes.known(calloutId(callout));
    const usable = isProbed ? usableEndpoints(callout, facts) : [];
    const lost = usable.filter((met) => hasFailed(met) && lossOf(met) === 'dropped').map(({ pod }) => pod);
    const states = podsWithState(backend, facts);
    const affected = states.flatMap(({ pod, state }) => {
      const isLost =
        lost.includes(pod.metadata.name) || (state.state === 'not-ready' && isCutOff(pod, backend, facts));
      const isApart = lacksSandbox(state) && missingHandler(state) === undefined;
      const cause = broken.find((one) => one.pod.spec.nodeName === pod.spec.nodeName);
      return cause !== undefined && (isLost || isApart) ? [{ pod, cause, isApart }] : [];
    });
    const [first] = affected;
    if (first === undefined || affected.length < states.length) return undefined;
    const { pod, failure } = first.cause;
    const data = {
      plugin: keyOf(pod.metadata),
      failure,
      node: pod.spec.nodeName ?? '',
      pods: podsText(
        affected.map((one) => one.pod),
        states.map((one) => one.pod),
      ),
    };
    const evidence = [{ object: refOfPod(pod), field: 'status', value: failure }];
    const names = { place: pod.metadata.namespace ?? '', pod: pod.metadata.name };
    // While another Pod responds, these updates are admitted.
    const refused =
      isAdmission(callout) && !failsOpen(callout)
        ? impactOf(callout, updatesBy(pod), aboutNodes).matched
        : [];
    if (isAdmission(callout) && refused.length > 0)
      return find(
        'deadlock',
        { ...data, webhook: callout.webhook },
        [...evidence, ...matchEvidence(callout, refused)],
        names,
      );
    return find(first.isApart ? 'sandbox' : 'loss', data, evidence, names);
  },
});
