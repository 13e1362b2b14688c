import { lossOf } from '../../apiserver/connection/loss.ts';
import {
  failingServers,
  probedCallouts,
  probeFacts,
  usableEndpoints,
} from '../../apiserver/connection/probed.ts';
import { backends } from '../../apiserver/routing/backends.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { selects } from '../../facts/label-selector.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { NetworkPolicy, NetworkPolicyPort } from '../../facts/objects/network-policy.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { isPodReady } from '../../facts/pod-state.ts';
import { listed } from '../../phrases/lists.ts';
import { defineCheck, fatal } from '../check.ts';

const isForIngress = ({ spec }: NetworkPolicy): boolean =>
  spec.policyTypes === undefined || spec.policyTypes.includes('Ingress');

/** True if the rule's port is the one that calls use. */
function covers({ protocol = 'TCP', port, endPort }: NetworkPolicyPort, pod: Pod, target: number): boolean {
  if (protocol !== 'TCP') return false;
  if (port === undefined) return true;
  if (typeof port === 'number')
    return endPort === undefined ? port === target : port <= target && target <= endPort;
  return pod.spec.containers.some(({ ports }) =>
    ports?.some(({ name, containerPort }) => name === port && containerPort === target),
  );
}

/**
 * True if a rule may allow the control plane: it allows an address, not Pods with labels. The address of the
 * control plane is unknown.
 */
const mayAllowControlPlane = ({ spec }: NetworkPolicy, pod: Pod, target: number): boolean =>
  (spec.ingress ?? []).some(
    ({ from = [], ports = [] }) =>
      (from.length === 0 || from.some(({ ipBlock }) => ipBlock !== undefined)) &&
      (ports.length === 0 || ports.some((port) => covers(port, pod, target))),
  );

export const networkPolicyShieldsWebhook = defineCheck({
  meta: {
    id: 'network-policy-shields-webhook',
    link: 'network',
    title: 'NetworkPolicy may block the control plane',
    severity: 'warning',
    explains: {
      'no-route': 1,
      'not-permitted': 1,
      'network-unreachable': 1,
      'handshake-timeout': 3,
      'connect-timeout': 3,
      deadline: 3,
      'tunnel-timeout': 1,
    },
    why: 'A NetworkPolicy that selects a Pod allows only the ingress that its rules list, and packets of the API server come from an address of the control plane, not from a Pod. Most network plugins allow packets from the Pod’s own node, so calls fail only when the webhook runs on another node than the API server.',
    advice:
      'Find the policies that select the Pods: `kubectl -n {namespace} describe networkpolicies`. Add an ingress rule for the target port, either from everywhere (`ports` without `from`; TLS protects the webhook) or from the addresses of the control plane (`ipBlock`): `kubectl -n {namespace} edit networkpolicies`.',
    noRemedy: 'a-decision',
    messages: {
      may: 'No ingress from IP addresses (ipBlock) to port {port} of {pods} of {total} replicas is allowed by NetworkPolicy {policies}',
      does: fatal(
        'No ingress from IP addresses (ipBlock) to port {port} of {pods} of {total} replicas is allowed by NetworkPolicy {policies}, and control plane packets are lost',
      ),
      doesForSome: {
        text: 'No ingress from IP addresses (ipBlock) to port {port} of {pods} of {total} replicas is allowed by NetworkPolicy {policies}; some control plane packets are lost',
        consequence: 'degraded',
      },
    },
    references: ['/docs/concepts/services-networking/network-policies/'],
  },
  requires: [...probeFacts, 'pods', 'networkPolicies'],
  subjects: (facts) =>
    backends(facts).filter(
      ({ key, namespace, callout }) =>
        isServiceBacked(callout) &&
        facts.pods.why(key)?.why !== 'not-requested' &&
        facts.networkPolicies.why(namespace)?.why !== 'not-requested',
    ),
  run(backend, facts, find) {
    const { callout, key, namespace, port } = backend;
    const pods = (facts.pods.get(key) ?? []).filter(
      (pod) => isPodReady(pod) && pod.spec.hostNetwork !== true,
    );
    const policies = (facts.networkPolicies.get(namespace) ?? []).filter(isForIngress);
    const target = typeof port.targetPort === 'number' ? port.targetPort : undefined;
    const targetOf = (pod: Pod): number =>
      target ??
      pod.spec.containers.flatMap(({ ports }) => ports ?? []).find(({ name }) => name === port.targetPort)
        ?.containerPort ??
      port.port;
    const over = (pod: Pod): readonly NetworkPolicy[] =>
      policies.filter(({ spec }) => selects(spec.podSelector, pod.metadata.labels ?? {}));
    const shielded = pods.filter(
      (pod) =>
        over(pod).length > 0 && !over(pod).some((policy) => mayAllowControlPlane(policy, pod, targetOf(pod))),
    );
    const [first] = shielded;
    if (first === undefined) return undefined;
    const names = [...new Set(shielded.flatMap(over).map(({ metadata }) => metadata.name))];
    const data = {
      policies: listed(names),
      pods: shielded.length,
      total: pods.length,
      port: targetOf(first),
    };
    const evidence = names.map((name) => ({
      object: { kind: 'NetworkPolicy', namespace, name },
      field: 'spec.ingress',
      value: `selects ${keyOf(first.metadata)}`,
    }));
    const probed = probedCallouts(facts).find((one) => one.callout === callout);
    const lost = probed && failingServers(probed, facts, (met) => lossOf(met) === 'dropped');
    if (probed !== undefined && lost === undefined) {
      // Probes show that the control plane reaches all of them.
      const met = usableEndpoints(probed, facts);
      const passes = met.length > 0 && met.every(({ probe }) => probe?.proxy?.reached === true);
      if (passes) return undefined;
    }
    if (lost === undefined) return find('may', data, evidence);
    return find(
      lost.extent === 'all' ? 'does' : 'doesForSome',
      data,
      [...evidence, ...lost.evidence],
      'observed',
    );
  },
});
