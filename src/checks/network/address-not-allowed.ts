import { failingServers, reportFailing } from '../../apiserver/connection/failing-servers.ts';
import { lossOf } from '../../apiserver/connection/loss.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { isEks } from '../../apiserver/server-version.ts';
import { derive } from '../../basics/derive.ts';
import type { Callout } from '../../facts/callout.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { defineCheck, latent, partial } from '../check.ts';

const requires = [...probeFacts, 'networkPods'] as const;
type PluginFacts = World<(typeof requires)[number]>;

/** The first half of an IPv4 address: a CIDR block of a VPC has at most 65,536 addresses, and a VPC may have several. */
const networkOf = (address = ''): string | undefined => /^\d+\.\d+(?=\.\d+\.\d+)/.exec(address)?.[0];

/** The networks of the addresses at which the control plane has reached a Pod. */
const reachedNetworks = derive(
  ['probes'],
  ({ probes }: Pick<Facts, 'probes'>): ReadonlySet<string | undefined> =>
    new Set(
      probes
        .all()
        .flatMap(({ replicas }) => replicas)
        .flatMap(({ proxy, endpoint }) => (proxy?.reached === true ? [networkOf(endpoint)] : [])),
    ),
);

/**
 * An address of 100.64.0.0/10 or 198.19.0.0/16: a second CIDR block that AWS recommends for the Pods of a VPC
 * (docs.aws.amazon.com/eks/latest/best-practices/custom-networking.html), which has routes to the control plane.
 */
const isOfSecondBlock = (address = ''): boolean =>
  /^(?:100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|198\.19)\./.test(address);

/**
 * The network plugin that seems to give these Pods addresses outside the VPC of an EKS cluster. Control plane and nodes
 * have addresses of the VPC, and its own plugin (`aws-node`) gives them to Pods as well. With another plugin, the control
 * plane reaches Pods only in networks of the VPC. Those are unknown, besides that of the nodes and
 * {@link isOfSecondBlock}.
 */
function foreignPlugin(callout: Callout, facts: PluginFacts): string | undefined {
  if (!isEks(facts.version)) return undefined;
  const agents = facts.networkPods.all().flat();
  const names = new Set(agents.map(({ metadata }) => metadata.labels?.['k8s-app'] ?? metadata.labels?.app));
  const [plugin] = names;
  const isForeign = knownPods(callout, facts).every(({ status }) => {
    const network = networkOf(status.podIP);
    return (
      network !== undefined &&
      network !== networkOf(status.hostIP) &&
      !isOfSecondBlock(status.podIP) &&
      !reachedNetworks(facts).has(network)
    );
  });
  return isForeign && !names.has('aws-node') ? plugin : undefined;
}

export const addressNotAllowed = defineCheck({
  meta: {
    id: 'address-not-allowed',
    title: 'Control plane cannot connect to Pod IPs',
    consequence: 'failing',
    why: 'The managed control plane has no route to addresses outside its own network, or rejects them (Amazon EKS: `Address is not allowed`). With an overlay CNI, Pod IPs are such addresses, and no webhook in these Pods can be called.',
    advice:
      "[end] Run the webhook with `hostNetwork: true` and `dnsPolicy: ClusterFirstWithHostNet`, and on a port that is free on the nodes (10250 is the kubelet's): `kubectl -n {namespace} edit {workload}`. [with] The security group of the nodes must allow that port from the control plane. [end] Or give the Pods of the webhook addresses from the network of the control plane.",
    noRemedy: 'in-the-network',
    sharedCause: true,
    messages: {
      all: 'The control plane refuses to connect to {replicas}: {detail}',
      some: partial(
        'The control plane refuses to connect to {replicas} ({bad} of {total} new connections): {detail}',
      ),
      overlay:
        'The EKS control plane may have no route to {replicas}: the network plugin {plugin} assigns Pod IPs outside the network of the nodes',
      // Cilium can also assign addresses of another CIDR block of the VPC (mode `eni`).
      maybe: {
        ...latent(
          'The EKS control plane may have no route to {replicas}: the network plugin {plugin} assigns Pod IPs outside the network of the nodes',
        ),
        explains: false,
      },
    },
    preventsReadiness: true,
    references: [
      'https://cert-manager.io/docs/installation/compatibility/#aws-eks',
      '/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy',
    ],
    follows: ['network-plugin-failing', 'network-policy-shields-webhook', 'replica-node-not-ready'],
  },
  requires,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const refused = reportFailing((endpoint) => lossOf(endpoint) === 'not-allowed')(callout, facts, find);
    if (refused !== undefined) return refused;
    const plugin = foreignPlugin(callout, facts);
    const lost = plugin && failingServers(callout, facts, (endpoint) => lossOf(endpoint) === 'dropped');
    if (!lost || lost.extent === 'some') return undefined;
    return find(
      plugin === 'cilium' ? 'maybe' : 'overlay',
      { ...lost.data, plugin },
      lost.evidence,
      'derived',
    );
  },
});
