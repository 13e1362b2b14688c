import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import { type ProbeFacts, probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { hasFailed, usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { isEks } from '../../apiserver/server-version.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { endpointsIn } from '../../facts/objects/endpoint-slice.ts';
import type { World } from '../../facts/snapshot.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { listed, namedList } from '../../phrases/lists.ts';
import { defineCheck, partial } from '../check.ts';

/** A Pod that the control plane connected to: its node, its port, and whether packets were lost. */
interface ContactedPod {
  readonly node: string;
  readonly port: number;
  readonly onHost: boolean;
  readonly lost: boolean;
}

const required = [...probeFacts, 'apiServerPods'] as const;

/** On the Pod network of a hybrid node of Amazon EKS, whose name is the id of a managed instance of Systems Manager. */
const isHybrid = ({ node, onHost }: ContactedPod): boolean => !onHost && /^mi-[0-9a-f]{17}$/.test(node);

/** The contacted Pods of one webhook or APIService. Their nodes are in the EndpointSlices. */
function contactedPods(callout: Callout, facts: ProbeFacts & World<'pods'>): readonly ContactedPod[] {
  if (!isServiceBacked(callout)) return [];
  const key = keyOf(callout.client.service);
  const places = endpointsIn(facts.endpointSlices.getIfKnown(key) ?? []);
  const pods = knownPods(callout, facts);
  return usableEndpoints(callout, facts).flatMap((endpoint) => {
    const lost = hasFailed(endpoint) && lossOf(endpoint) === 'dropped';
    if (endpoint.pod === undefined || (!lost && endpoint.probe?.proxy?.reached !== true)) return [];
    const pod = pods.find(({ metadata }) => metadata.name === endpoint.pod);
    const node =
      pod?.spec.nodeName ?? places.find(({ targetRef }) => targetRef?.name === endpoint.pod)?.nodeName;
    const { port } = endpoint.probe ?? {};
    return node === undefined || port === undefined
      ? []
      : [{ node, port, onHost: pod?.spec.hostNetwork === true, lost }];
  });
}

/**
 * The nodes of the API servers, if these run as static Pods, and no Pod of the Pod network on other nodes responds to
 * them, whatever its port: a rule for one port is no reason.
 */
function serversWithoutPodNetwork(
  contacted: readonly ContactedPod[],
  { apiServerPods }: World<'apiServerPods'>,
): readonly string[] {
  const servers = (apiServerPods.getIfKnown('kube-apiserver') ?? []).flatMap(
    ({ spec }) => spec.nodeName ?? [],
  );
  const isApart = contacted.every(({ node, onHost, lost }) => lost && !onHost && !servers.includes(node));
  return isApart && new Set(contacted.map(({ port }) => port)).size > 1 ? servers : [];
}

const namesOf = (pods: readonly ContactedPod[]): readonly string[] =>
  [...new Set(pods.map(({ node }) => node))].sort();

const nodeNames = (pods: readonly ContactedPod[]): string => listed(namesOf(pods));

const byNode =
  'The control plane gets responses from Pods on {reached}, and none from Pods on {lost}: the loss depends on the node';
const podNetwork =
  'The control plane gets responses from Pods with hostNetwork on {reached}, and none on the Pod network of {lost}';

const hybrid = 'The EKS control plane gets no response from Pods outside AWS, on {lost}';

const leaveHybrid =
  '[end] Run the webhook on nodes in AWS, by a nodeAffinity with `eks.amazonaws.com/compute-type` NotIn `hybrid`: `kubectl -n {namespace} edit {workload}`. [end] Or make the Pod addresses of hybrid nodes routable, and declare them as remote Pod network of the EKS cluster. [with] The firewall outside AWS must then allow the target port.';

/** VMXNET3 interfaces of vSphere send packets of an overlay with wrong checksums: github.com/cilium/cilium/issues/21801. */
const betweenNodes =
  '[end] No connection: open the UDP port of the overlay between the nodes (VXLAN 4789 or 8472, Geneve 6081). [end] Nodes with several interfaces: let the plugin use the one with the node address. [end] Virtual machines on vSphere, on each node: `ethtool -K ens192 tx-udp_tnl-segmentation off tx-udp_tnl-csum-segmentation off` (the interface of the node). [end] No overlay: route the Pod network, and allow the target ports. [end] A TLS handshake that hangs: reduce the MTU.';
const checkPlugin = '[look] Check the Pods of the network plugin: `kubectl get pods -A -o wide`.';

const joinPodNetwork =
  "[end] Managed control plane: run the webhook with `hostNetwork: true`, `dnsPolicy: ClusterFirstWithHostNet` and a port that is free on the nodes (10250 is the kubelet's): `kubectl -n {namespace} edit {workload}`. [end] Otherwise: check the Pods of the network plugin on the node of the API server (`kubectl get pods -A -o wide`). [end] Open the port of the overlay there (VXLAN 4789 or 8472/UDP).";

export const packetsLostByNode = defineCheck({
  meta: {
    id: 'packets-lost-by-node',
    title: 'Pod network loses packets from the control plane',
    consequence: 'failing',
    confidence: 'observed',
    why: 'A firewall for one port drops packets to every node alike, so loss that depends on the node comes from the overlay. Its UDP port is closed, its agent is down, its MTU is too large, or VXLAN packets have wrong checksums. If only the Pod network loses packets, the control plane is outside it (EKS with an overlay CNI), or the overlay fails on its node.',
    advice:
      '[look] Check the Pods of the network plugin: `kubectl get pods -A -o wide`. [look] On the node of the API server, run `curl -vk https://{address}`. [end] No connection: open the port of the overlay (VXLAN 4789 or 8472/UDP). [end] A TLS handshake that hangs: reduce the MTU. [end] A connection by Pod address but not by ClusterIP: run `ethtool -K flannel.1 tx-checksum-ip-generic off` (the device of your network plugin).',
    noRemedy: 'in-the-network',
    sharedCause: true,
    messages: {
      byNode,
      hybrid: { text: hybrid, advice: leaveHybrid },
      podNetwork: { text: podNetwork, advice: joinPodNetwork },
      everyPort: {
        text: 'Pods on {lost} do not respond to the API server on {servers}, on ports {ports}: the network between nodes loses packets',
        advice: `${checkPlugin} [look] On node \`{node}\`, run \`curl -vk https://{address}\`. ${betweenNodes}`,
      },
      // The probes do not show which of the API servers made the connections.
      everyPortOfOne: {
        text: 'Pods on {lost} do not respond to an API server ({servers}) on ports {ports}: the network loses packets',
        advice: `${checkPlugin} [look] On each node of an API server, run \`curl -vk https://{address}\`. ${betweenNodes}`,
      },
      byNodeSome: partial(byNode),
      hybridSome: partial(hybrid, leaveHybrid),
      podNetworkSome: partial(podNetwork, joinPodNetwork),
    },
    references: ['/docs/concepts/cluster-administration/networking/'],
    follows: ['replica-node-not-ready', 'network-plugin-failing', 'network-policy-shields-webhook'],
  },
  requires: required,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const failing = failingServers(callout, facts, (one) => lossOf(one) === 'dropped');
    if (failing === undefined) return undefined;
    const contacted = probedCallouts(facts).flatMap((one) => contactedPods(one, facts));
    const [lost, reached] = [contacted.filter((one) => one.lost), contacted.filter((one) => !one.lost)];
    const isHostOnly = reached.every(({ onHost }) => onHost) && !lost.some(({ onHost }) => onHost);
    const isByNode = !reached.some(({ node }) => lost.some((one) => one.node === node));
    const address = failing.endpoints[0]?.probe?.endpoint;
    if (isEks(facts.version) && lost.length > 0 && lost.every(isHybrid) && !reached.some(isHybrid))
      return find(
        failing.extent === 'all' ? 'hybrid' : 'hybridSome',
        { lost: `hybrid ${namedList('node', namesOf(lost))}` },
        failing.evidence,
        { address },
      );
    const servers = [...new Set(serversWithoutPodNetwork(contacted, facts))].sort();
    const [server] = servers;
    if (server !== undefined && failing.extent === 'all') {
      const ports = listed([...new Set(lost.map(({ port }) => String(port)))].sort());
      const data = { servers: listed(servers, { word: 'or' }), lost: nodeNames(lost), ports };
      return servers.length === 1
        ? find('everyPort', data, failing.evidence, { address, node: server })
        : find('everyPortOfOne', data, failing.evidence, { address });
    }
    if (reached.length === 0 || lost.length === 0 || (!isHostOnly && !isByNode)) return undefined;
    const data = { reached: nodeNames(reached), lost: nodeNames(lost) };
    const pattern = isHostOnly ? 'podNetwork' : 'byNode';
    const messageId = failing.extent === 'all' ? pattern : (`${pattern}Some` as const);
    return find(messageId, data, failing.evidence, { address });
  },
});
