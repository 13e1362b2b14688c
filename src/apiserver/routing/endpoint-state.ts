import type { Pod } from '../../facts/objects/pod.ts';
import { selectsPods } from '../../facts/objects/service.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { lastingStatuses } from '../../facts/workloads/container-crash.ts';
import type { BackendEndpoint } from './endpoints.ts';

/** The facts that decide the state of an endpoint. */
export type EndpointStateFacts = Pick<Facts, 'services' | 'pods' | 'endpointPods' | 'nodes'>;

/**
 * The result of a connection to one endpoint, as far as objects show it. `refuses`: the Pod runs without a
 * running container, and its kernel sends a reset. `gone`: no Pod has the address; the error depends on the
 * network. `not-known`: the Pod has a problem, but objects do not show the result of a connection.
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

/** True for a Service without selector: its endpoints are written manually, with unreliable targetRefs. */
const isByHand = (serviceKey: string, { services }: EndpointStateFacts): boolean =>
  !selectsPods(services.getIfKnown(serviceKey));

/** Containers and sidecars that are running. */
const running = (pod: Pod): readonly string[] =>
  lastingStatuses(pod)
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name }) => name);

/** Sidecars that accept all connections of the Pod in place of its containers. */
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
 * The state of an endpoint. If its Pod could not be read, it counts as one that answers: then only its
 * `ready` condition is known.
 *
 * @param serviceKey `namespace/name` of its Service.
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
