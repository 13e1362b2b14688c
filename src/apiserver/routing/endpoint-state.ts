import type { ContainerStatus, Pod } from '../../facts/objects/pod.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { BackendEndpoint } from './endpoints.ts';

/** The facts that tell whether anything can answer at an endpoint. */
export type EndpointStateFacts = Pick<Facts, 'services' | 'pods' | 'endpointPods' | 'nodes'>;

/**
 * What a connection to one endpoint meets, as far as objects tell. `refuses`: the Pod is up and nothing of it runs, its
 * kernel answers with a reset. `gone`: nobody is behind the address; what the network says then is its own.
 * `not-known`: something is wrong with what stands behind it, and objects do not tell what a connection meets.
 */
export type EndpointState = 'answers' | 'refuses' | 'gone' | 'not-known';

function podOf(
  endpoint: BackendEndpoint,
  serviceKey: string,
  facts: EndpointStateFacts,
): Pod | 'absent' | undefined {
  const { pod } = endpoint;
  if (pod === undefined) return undefined;
  const selected = facts.pods
    .getIfKnown(serviceKey)
    ?.find(({ metadata }) => metadata.name === pod.name && metadata.namespace === pod.namespace);
  if (selected !== undefined) return selected;
  const key = `${pod.namespace}/${pod.name}`;
  if (!facts.endpointPods.known(key)) return undefined;
  return facts.endpointPods.get(key) ?? 'absent';
}

/** Without a selector somebody writes the addresses, and the Pod that they write beside one is their word alone. */
const isByHand = (serviceKey: string, { services }: EndpointStateFacts): boolean =>
  Object.keys(services.getIfKnown(serviceKey)?.spec.selector ?? {}).length === 0;

const runs = (status: ContainerStatus): boolean => status.state?.running !== undefined;

/** Containers and sidecars that run now (KEP-753: an init container with restartPolicy Always). */
function running(pod: Pod): readonly string[] {
  const sidecars = new Set(
    (pod.spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => name),
  );
  const statuses = [
    ...(pod.status.containerStatuses ?? []),
    ...(pod.status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  return statuses.filter(runs).map(({ name }) => name);
}

/** Sidecars that take every connection of the Pod before its containers see it. */
const intercepts = /istio|envoy|linkerd|consul|kuma/;

function refuses(pod: Pod, port: number): boolean {
  if (pod.status.containerStatuses === undefined) return false;
  const up = running(pod);
  if (up.length === 0) return true;
  const owners = pod.spec.containers.filter(({ ports }) =>
    ports?.some(({ containerPort }) => containerPort === port),
  );
  return (
    owners.length > 0 &&
    owners.every(({ name }) => !up.includes(name)) &&
    !up.some((name) => intercepts.test(name))
  );
}

/**
 * What a connection to this endpoint meets. Without a Pod that could be read, an endpoint counts as one that answers:
 * its `ready` condition is then all there is.
 *
 * @param serviceKey `namespace/name` of the Service it belongs to.
 */
export function endpointStateOf(
  endpoint: BackendEndpoint,
  serviceKey: string,
  facts: EndpointStateFacts,
): EndpointState {
  const pod = podOf(endpoint, serviceKey, facts);
  const gone = isByHand(serviceKey, facts) ? 'not-known' : 'gone';
  if (pod === 'absent') return gone;
  if (pod === undefined) return 'answers';
  if (
    endpoint.pod?.uid !== undefined &&
    pod.metadata.uid !== undefined &&
    endpoint.pod.uid !== pod.metadata.uid
  ) {
    return gone;
  }
  if (pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded') return 'gone';
  const node = pod.spec.nodeName === undefined ? undefined : facts.nodes.getIfKnown(pod.spec.nodeName);
  const lost = node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown');
  if (lost) return 'not-known';
  return refuses(pod, endpoint.port) ? 'refuses' : 'answers';
}
