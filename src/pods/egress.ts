import { selects } from '../facts/objects/label-selector.ts';
import type { NetworkPolicy, NetworkPolicyPort } from '../facts/objects/network-policy.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { apiServerAddresses, blockContains, type ServerAddress } from './addresses.ts';

const serviceAddresses = ({ services }: Pick<Facts, 'services'>): readonly ServerAddress[] =>
  (services.getIfKnown('default/kubernetes')?.spec.clusterIPs ?? []).map((address) => ({
    address,
    port: 443,
  }));

const isForEgress = ({ spec: { policyTypes, egress } }: NetworkPolicy): boolean =>
  policyTypes?.includes('Egress') ?? egress !== undefined;

const covers = (
  { protocol = 'TCP', port, endPort }: NetworkPolicyPort,
  targets: readonly number[],
): boolean =>
  protocol === 'TCP' &&
  (port === undefined ||
    typeof port === 'string' ||
    targets.some((one) => port <= one && one <= (endPort ?? port)));

/** The policies that isolate a Pod for egress; none for a Pod in the network of its node. */
const egressPoliciesOf = ({ metadata, spec }: Pod, { networkPolicies }: Pick<Facts, 'networkPolicies'>) =>
  spec.hostNetwork === true
    ? []
    : (networkPolicies.getIfKnown(metadata.namespace ?? '') ?? []).filter(
        (policy) => isForEgress(policy) && selects(policy.spec.podSelector, metadata.labels ?? {}),
      );

/** The names of the NetworkPolicies that isolate a Pod for egress, if no rule has the port of DNS, or all ports. */
export function policiesAgainstDns(pod: Pod, facts: Pick<Facts, 'networkPolicies'>): readonly string[] {
  const over = egressPoliciesOf(pod, facts);
  const rules = over.flatMap(({ spec: { egress = [] } }) => egress);
  const isAllowed = rules.some(
    ({ ports = [] }) => ports.length === 0 || ports.some((one) => covers({ ...one, protocol: 'TCP' }, [53])),
  );
  return isAllowed ? [] : over.map(({ metadata }) => metadata.name);
}

/** The ports at which the API server listens, behind its Service. */
export const apiServerPorts = (facts: Pick<Facts, 'endpointSlices'>): readonly number[] => [
  ...new Set(apiServerAddresses(facts).map(({ port }) => port)),
];

/**
 * The names of the NetworkPolicies that isolate a Pod for egress, if none of them allows packets to the API
 * server; empty if one does, if none isolates it, or if the addresses of the API server are not known. Network
 * plugins differ in whether they compare address and port of a Service or of its endpoint.
 *
 * @param suffices what a rule may name: the address and port of the Service, its port, or nothing of it.
 */
export function policiesAgainstApiServer(
  pod: Pod,
  facts: Pick<Facts, 'networkPolicies' | 'endpointSlices' | 'services'>,
  suffices: 'service' | 'port of service' | 'endpoint',
): readonly string[] {
  const endpoints = apiServerAddresses(facts);
  if (endpoints.length === 0) return [];
  const servers = suffices === 'service' ? [...endpoints, ...serviceAddresses(facts)] : endpoints;
  const over = egressPoliciesOf(pod, facts);
  const isAllowed = over.some(({ spec: { egress = [] } }) =>
    egress.some(({ to = [], ports = [] }) =>
      servers.some(
        ({ address, port }) =>
          (to.length === 0 || to.some(({ ipBlock }) => ipBlock && blockContains(ipBlock, address))) &&
          (ports.length === 0 ||
            ports.some((one) => covers(one, suffices === 'endpoint' ? [port] : [port, 443]))),
      ),
    ),
  );
  return isAllowed ? [] : over.map((policy) => policy.metadata.name);
}
