import { isDeepStrictEqual } from 'node:util';
import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import { ownCallUnconnected } from '../../apiserver/connection/own-call-result.ts';
import { type ProbeFacts, probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { hasFailed, usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { type Backend, backends, targetPortOf } from '../../apiserver/routing/backends.ts';
import { cleanLines, exitReason } from '../../apiserver/sentences/logs/log-lines.ts';
import { isEks } from '../../apiserver/server-version.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import { selects } from '../../facts/objects/label-selector.ts';
import type { IpBlock, NetworkPolicy, NetworkPolicyPort } from '../../facts/objects/network-policy.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { IngressPolicy } from '../../facts/plugin-policies.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { logEvidence, logOf } from '../../facts/workloads/pod-logs.ts';
import { isPodReady } from '../../facts/workloads/pod-state.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { listed, whichPods } from '../../phrases/lists.ts';
import { apiServerAddresses, blockContains } from '../../pods/addresses.ts';
import { waitingFor } from '../../pods/own-conversion.ts';
import { defineCheck, fatal, partial } from '../check.ts';

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

const coversAny = (ports: readonly NetworkPolicyPort[], pod: Pod, target: number): boolean =>
  ports.length === 0 || ports.some((port) => covers(port, pod, target));

const everywhere = [{ cidr: '0.0.0.0/0' }, { cidr: '::/0' }] as const;

/** What the rules of a policy allow to this port, besides Pods with labels. */
const allowed = ({ spec }: NetworkPolicy, pod: Pod, target: number): readonly IpBlock[] =>
  (spec.ingress ?? []).flatMap(({ from = [], ports = [] }) => {
    if (!coversAny(ports, pod, target)) return [];
    return from.length === 0 ? everywhere : from.flatMap(({ ipBlock }) => ipBlock ?? []);
  });

/** A Pod, the policies that limit its ingress, and the addresses that they allow to this port. */
interface LimitedPod {
  readonly pod: Pod;
  readonly policies: readonly IngressPolicy[];
  readonly sources: readonly IpBlock[];
}

function limitsOf(pod: Pod, target: number, policies: readonly IngressPolicy[]): LimitedPod {
  const selecting = policies.filter(({ spec }) => selects(spec.podSelector, pod.metadata.labels ?? {}));
  const denying = selecting.filter(({ denies = [] }) =>
    denies.some(({ ports }) => coversAny(ports, pod, target)),
  );
  if (denying.length > 0) return { pod, policies: denying, sources: [] };
  const limiting = selecting.filter(isForIngress);
  return { pod, policies: limiting, sources: limiting.flatMap((policy) => allowed(policy, pod, target)) };
}

/** The Pod's address of the family of the Service: a connection to it comes from an address of the same family. */
function addressOf({ status }: Pod, { spec }: Service): string {
  const { podIP = '', podIPs = [] } = status;
  const isIpv6 = (spec.ipFamilies?.[0] ?? (podIP.includes(':') ? 'IPv6' : 'IPv4')) === 'IPv6';
  return podIPs.find(({ ip }) => ip.includes(':') === isIpv6)?.ip ?? podIP;
}

const isOfFamily = ({ cidr }: IpBlock, address: string): boolean =>
  address === '' || cidr.includes(':') === address.includes(':');

const isUnlimited = ({ cidr, except = [] }: IpBlock): boolean => cidr.endsWith('/0') && except.length === 0;

/** True for a block as large as a cloud's network: /16, or an IPv6 /56. */
const isWide = ({ cidr }: IpBlock): boolean =>
  Number(cidr.replace(/^.*\//s, '')) <= (cidr.includes(':') ? 56 : 16);

/**
 * True if an allowed block may contain the address from which the control plane connects. It contains an address of the
 * API server, or it is wide. The network of the Pods alone is such a block, too: packets that a node sends through an
 * overlay (IPIP, VXLAN) have the address of its tunnel, which is of this network (github.com/projectcalico/calico/issues/721).
 */
function mayAllowControlPlane(
  { pod, sources }: LimitedPod,
  service: Service,
  facts: Pick<Facts, 'endpointSlices'>,
): boolean {
  const address = addressOf(pod, service);
  return sources
    .filter((block) => isOfFamily(block, address))
    .some(
      (block) =>
        isWide(block) || apiServerAddresses(facts).some((server) => blockContains(block, server.address)),
    );
}

/** `10.0.0.0/8 except 10.1.0.0/16`. */
const blockText = ({ cidr, except = [] }: IpBlock): string =>
  except.length === 0 ? cidr : `${cidr} except ${listed(except)}`;

const kindOf = ({ kind = 'NetworkPolicy' }: IngressPolicy): string => kind;

/** `NetworkPolicy guard`; policies of Calico have the same kind. */
const policyText = (policy: IngressPolicy): string =>
  `${kindOf(policy)}${policy.plugin === 'Calico' ? ' (Calico)' : ''} ${policy.metadata.name}`;

/** The first policy of each plugin, as an argument of kubectl. */
function namesOf(policies: readonly IngressPolicy[]) {
  const first = (of: IngressPolicy['plugin'], suffix = '') => {
    const found = policies.find(({ plugin }) => plugin === of);
    return found && `${kindOf(found).toLowerCase()}${suffix}/${found.metadata.name}`;
  };
  return {
    policy: first(undefined),
    cilium: first('Cilium'),
    calico: first('Calico', '.crd.projectcalico.org'),
  };
}

const ofPlugins =
  '[end] In a policy of Cilium, allow entities `kube-apiserver`, `host`, `remote-node` and, for a managed control plane, `world` or the Pods of its tunnel agent: `kubectl -n {namespace} edit {cilium}`. [end] In a policy of Calico, allow the `nets` of nodes and control plane: `kubectl -n {namespace} get {calico} -o yaml`.';

/** The allowed addresses probably include that of the control plane, so another cause stays possible. */
const ofWideAddresses = {
  explains: false,
  advice:
    '[look] Compare these addresses with those of the control plane: `kubectl -n default get endpointslices -l kubernetes.io/service-name=kubernetes`. [with] Where the control plane connects through konnectivity, packets come from the Pods of the konnectivity agents in `kube-system`. [end] Allow these Pods by their labels, or allow the target port from everywhere.',
} as const;

/** The allowed addresses may include that of the control plane: then a firewall drops the packets. */
const ofUnknownAddress = {
  advice: `[end] Allow the target port from everywhere (\`ports\` without \`from\`; TLS protects the webhook), or also from the addresses from which the control plane connects: \`kubectl -n {namespace} edit {policy}\`. [with] Where the control plane connects through konnectivity, packets come from the Pods of the konnectivity agents in \`kube-system\`: allow them by their labels. ${ofPlugins} [end] If the rules allow these addresses already, allow TCP \`{port}\` from the control plane to the nodes in the firewall or the security group.`,
} as const;

/** Of an error alone, which names no policy. */
const findPolicy =
  '[look] Find the policy that selects the Pods of the webhook: `kubectl -n {namespace} get networkpolicies -o yaml`. [end] Allow ingress to the target port from everywhere (`ports` without `from`; TLS protects the webhook) or from the addresses of the control plane (`ipBlock`).';

/** The API server's own call that got no response, if every probe did: packets from the control plane are lost. */
const unansweredCall = (callout: Callout, facts: ProbeFacts) => {
  const usable = usableEndpoints(callout, facts);
  return usable.length > 0 && !usable.some(hasFailed)
    ? ownCallUnconnected(callout, facts, ['connect-timeout', 'deadline'])
    : undefined;
};

/** The log line of a Pod that converts its own resources, about a call which got no response: its packets are lost. */
function timedOutConversion(callout: Callout, pods: readonly Pod[], facts: Pick<Facts, 'logs'>): Evidence[] {
  if (callout.kind !== 'conversion') return [];
  return pods.flatMap((pod) =>
    pod.spec.containers.flatMap(({ name }) => {
      const log = logOf(pod, name, facts);
      const reason = exitReason(log) ?? '';
      // A later call may have succeeded, if another line is the reason; caches that are not filled follow from it.
      const lines = /\b(?:caches?|informers?)\b/i.test(reason) ? cleanLines(log) : [reason];
      const { line = '', isStated } = waitingFor(lines, callout.resource) ?? {};
      return isStated && line.includes(': i/o timeout') ? logEvidence(refOfPod(pod), name, line) : [];
    }),
  );
}

/**
 * Without the policies that do not explain a loss, because the control plane of EKS reaches another Pod under the same
 * ones: it runs on no node. Elsewhere, the API server may run on the node of the Pod that it reaches.
 */
function notDisproved(
  limited: readonly LimitedPod[],
  callout: Callout,
  facts: ProbeFacts,
): readonly LimitedPod[] {
  if (!isEks(facts.version)) return limited;
  const reached = new Set(
    usableEndpoints(callout, facts).flatMap(({ pod, probe }) => (probe?.proxy?.reached === true ? pod : [])),
  );
  const disproved = limited.filter(({ pod }) => reached.has(pod.metadata.name));
  const areSame = (one: LimitedPod, other: LimitedPod): boolean =>
    isDeepStrictEqual(one.policies, other.policies);
  return limited.filter((one) => !disproved.some((other) => areSame(one, other)));
}

/** True if probes show that the control plane reaches all servers. */
function isReached(callout: Callout, facts: ProbeFacts): boolean {
  const usable = usableEndpoints(callout, facts);
  return usable.length > 0 && usable.every(({ probe }) => probe?.proxy?.reached === true);
}

/**
 * The policies that limit the ingress of Pods, if no rule allows every address. The address of the control plane is
 * unknown: one of those that are allowed may be its own.
 */
function shieldOf(backend: Backend, facts: ProbeFacts & Pick<Facts, 'networkPolicies'>, wasProbed: boolean) {
  const { callout, key, namespace, port, service } = backend;
  const all = (facts.pods.get(key) ?? []).filter(({ spec }) => spec.hostNetwork !== true);
  const ready = all.filter(isPodReady);
  const pods = ready.length > 0 ? ready : all;
  const policies = facts.networkPolicies.get(namespace) ?? [];
  const isOpen = ({ pod, sources }: LimitedPod): boolean =>
    sources.some((block) => isUnlimited(block) && isOfFamily(block, addressOf(pod, service)));
  const limiting = pods
    .map((pod) => limitsOf(pod, targetPortOf(port, pod), policies))
    .filter((one) => one.policies.length > 0 && !isOpen(one));
  const limited = wasProbed ? notDisproved(limiting, callout, facts) : limiting;
  const shielded = limited.filter(({ sources }) => sources.length === 0);
  const affected = shielded.length > 0 ? shielded : limited;
  const [first] = affected;
  if (first === undefined) return undefined;
  const found = [...new Set(affected.flatMap((one) => one.policies))];
  return {
    isForSources: shielded.length === 0,
    isWidelyOpen: affected.some((one) => mayAllowControlPlane(one, service, facts)),
    isOfAll: shielded.length === pods.length,
    unready: ready.length > 0 ? [] : all,
    data: {
      policies: listed(found.map(policyText)),
      pods: whichPods(affected.length, all.length),
      port: targetPortOf(port, first.pod),
      namespace,
      sources: listed(new Set(affected.flatMap(({ sources }) => sources.map(blockText)))),
    },
    evidence: found.map((policy) => ({
      object: refOf(kindOf(policy), policy.metadata),
      field: 'spec.ingress',
      value: `selects ${keyOf(first.pod.metadata)}`,
    })),
    names: { ...namesOf(found), port: targetPortOf(port, first.pod).toString() },
  };
}

export const networkPolicyShieldsWebhook = defineCheck({
  meta: {
    id: 'network-policy-shields-webhook',
    title: 'NetworkPolicy may block the control plane',
    severity: 'warning',
    why: 'A NetworkPolicy that selects a Pod allows only the ingress that its rules list. Packets of the API server come from an address of the control plane, not from a Pod. Packets from the Pod’s own node are always allowed, so calls fail only if the webhook runs on another node than the API server.',
    advice: `[end] Allow ingress to the target port from everywhere (\`ports\` without \`from\`; TLS protects the webhook) or from the addresses of the control plane (\`ipBlock\`): \`kubectl -n {namespace} edit {policy}\`. ${ofPlugins} [with] If a chart, an operator or a mesh declares the policy, add a policy of your own instead: the rules of all policies add up.`,
    textAdvice: {
      deadline: findPolicy,
      'connect-timeout': findPolicy,
      'no-route': findPolicy,
      'connection-closed': findPolicy,
      'not-permitted': findPolicy,
      'tunnel-timeout': findPolicy,
      'handshake-timeout': findPolicy,
      'network-unreachable': findPolicy,
      'packets-denied': findPolicy,
      'said-network-policy': findPolicy,
    },
    noRemedy: 'a-decision',
    messages: {
      addresses: {
        ...fatal(
          'Packets from the control plane to port {port} of {pods} are dropped; the rules of {policies} allow only {sources}',
        ),
        ...ofUnknownAddress,
      },
      addressesForSome: {
        ...partial(
          'Some packets from the control plane to port {port} of {pods} are dropped; the rules of {policies} allow only {sources}',
        ),
        ...ofUnknownAddress,
      },
      wideAddresses: {
        ...fatal(
          'Packets from the control plane to port {port} of {pods} are dropped; the rules of {policies} allow {sources}',
        ),
        ...ofWideAddresses,
      },
      wideAddressesForSome: {
        ...partial(
          'Some packets from the control plane to port {port} of {pods} are dropped; the rules of {policies} allow {sources}',
        ),
        ...ofWideAddresses,
      },
      may: 'No rule of {policies} allows ingress from IP addresses to port {port} of {pods}',
      does: {
        ...fatal(
          'Packets from the control plane to port {port} of {pods} are dropped: no rule of {policies} allows ingress from IP addresses',
        ),
        sharedCause:
          'Packets from the control plane to their Pods in namespace {namespace} are dropped: no rule of {policies} allows ingress from IP addresses',
      },
      doesForSome: partial(
        'Some packets from the control plane to port {port} of {pods} are dropped: no rule of {policies} allows IP addresses',
      ),
    },
    preventsReadiness: true,
    references: ['/docs/concepts/services-networking/network-policies/#behavior-of-to-and-from-selectors'],
  },
  requires: [...probeFacts, 'networkPolicies', 'logs'],
  subjects: (facts) =>
    backends(facts).filter(
      ({ key, namespace, callout }) =>
        isServiceBacked(callout) &&
        facts.pods.why(key)?.why !== 'not-requested' &&
        facts.networkPolicies.why(namespace)?.why !== 'not-requested',
    ),
  run(backend, facts, find) {
    const { callout } = backend;
    const wasProbed = probedCallouts(facts).includes(callout);
    const shield = shieldOf(backend, facts, wasProbed);
    if (shield === undefined) return undefined;
    const { data, evidence, names, isForSources } = shield;
    const lost = wasProbed
      ? failingServers(callout, facts, (endpoint) => lossOf(endpoint) === 'dropped')
      : undefined;
    if (lost !== undefined) {
      const ofSources = shield.isWidelyOpen ? 'wideAddresses' : 'addresses';
      const kind = isForSources ? ofSources : 'does';
      const messageId = lost.extent === 'all' ? kind : (`${kind}ForSome` as const);
      const confidence = isForSources ? 'derived' : 'observed';
      return find(messageId, data, [...evidence, ...lost.evidence], names, confidence);
    }
    if (isForSources || (wasProbed && isReached(callout, facts))) return undefined;
    // Dropped probes of the kubelet make Pods unready, as many other faults do: only a lost packet is proof.
    if (shield.unready.length > 0) {
      const logged = shield.isOfAll ? timedOutConversion(callout, shield.unready, facts) : [];
      return logged.length > 0 ? find('does', data, [...evidence, ...logged], names) : undefined;
    }
    const own = wasProbed && shield.isOfAll ? unansweredCall(callout, facts) : undefined;
    return find(own ? 'does' : 'may', data, [...evidence, ...(own?.evidence ?? [])], names);
  },
});
