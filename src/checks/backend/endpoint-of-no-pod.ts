import { ownCallUnconnected } from '../../apiserver/connection/own-call-result.ts';
import {
  type Backend,
  backends,
  endpointFacts,
  hasSelector,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import type { BackendEndpoint } from '../../apiserver/routing/endpoints.ts';
import { isEndpointRemoved, type RemovalFacts } from '../../apiserver/routing/removed-endpoints.ts';
import { untriedAddresses } from '../../apiserver/routing/untried-addresses.ts';
import { calloutId } from '../../facts/callout.ts';
import { type Evidence, nameIn } from '../../facts/evidence.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { defineCheck, fatal, fatalForSome, undecided } from '../check.ts';

type PodFacts = Pick<Facts, 'pods' | 'endpointPods'>;
type RemovedPodFacts = PodFacts & RemovalFacts & Pick<Facts, 'takenAt'>;
type SliceFacts = Pick<Facts, 'endpointSlices'>;
type Fault = 'gone' | 'goneByHand' | 'other' | 'handMade';

const mirroringController = 'endpointslicemirroring-controller.k8s.io';

/** The Pod that an endpoint refers to; 'unread' if Pods were not read. */
function podOf({ pod }: BackendEndpoint, { key }: Backend, facts: PodFacts): Pod | 'absent' | 'unread' {
  if (pod === undefined) return 'unread';
  const selected = facts.pods.getIfKnown(key) ?? [];
  const found = selected.find(({ metadata }) => metadata.name === pod.name);
  if (found !== undefined) return found;
  const name = keyOf(pod);
  return facts.endpointPods.getIfKnown(name) ?? (facts.endpointPods.isAbsent(name) ? 'absent' : 'unread');
}

function faultOf(endpoint: BackendEndpoint, backend: Backend, facts: RemovedPodFacts): Fault | undefined {
  if (endpoint.pod === undefined) {
    // Addresses are written manually only for a Service without a selector.
    return hasSelector(backend) && facts.pods.known(backend.key) ? 'handMade' : undefined;
  }
  const pod = podOf(endpoint, backend, facts);
  if (pod === 'unread') return undefined;
  const isRecent = isEndpointRemoved(endpoint, backend.callout, facts, facts.takenAt);
  const how = hasSelector(backend) ? 'gone' : 'goneByHand';
  const gone = isRecent ? undefined : how;
  // A Pod that was terminating in the EndpointSlice may have been deleted before the Pods were read.
  if (pod === 'absent') return endpoint.terminating ? undefined : gone;
  if (
    endpoint.pod.uid !== undefined &&
    pod.metadata.uid !== undefined &&
    endpoint.pod.uid !== pod.metadata.uid
  ) {
    return gone;
  }
  const addresses = (pod.status.podIPs ?? []).map(({ ip }) => ip);
  return addresses.length > 0 && !addresses.includes(endpoint.address) ? 'other' : undefined;
}

/** True if the addresses were written manually or by a program: no selector, and no Pod is referenced. */
const isByHand = (backend: Backend, usable: readonly BackendEndpoint[]): boolean =>
  !hasSelector(backend) && usable.length > 0 && usable.every(({ pod }) => pod === undefined);

/** True if the API server's own call in this run reached no server. */
const unansweredCall = ({ callout }: Backend, { probes }: Pick<Facts, 'probes'>) =>
  probes.known(calloutId(callout))
    ? ownCallUnconnected(callout, { probes }, [
        'connection-refused',
        'connect-timeout',
        'deadline',
        'no-route',
        'network-unreachable',
      ])
    : undefined;

const addressesText = (endpoints: readonly BackendEndpoint[]): string =>
  endpoints.map(({ address, port }) => `${address}:${port}`).join(', ');

const evidenceOf = ({ namespace }: Backend, endpoints: readonly BackendEndpoint[]): readonly Evidence[] =>
  endpoints.map(({ address, port, pod, slice }) => ({
    object: { kind: 'EndpointSlice', namespace, name: slice },
    field: 'endpoints',
    value: `${address}:${port} ${pod === undefined ? 'without targetRef' : `of Pod ${keyOf(pod)}`}`,
  }));

/**
 * The object in which the addresses are to be corrected. The mirroring controller overwrites its EndpointSlices
 * with the addresses of the Endpoints object (`pkg/controller/endpointslicemirroring` in kubernetes).
 */
function sourceOf({ key, service }: Backend, slice: string | undefined, facts: SliceFacts) {
  const found = facts.endpointSlices.getIfKnown(key)?.find(({ metadata }) => metadata.name === slice);
  return found?.metadata.labels?.['endpointslice.kubernetes.io/managed-by'] === mirroringController
    ? `endpoints/${service.metadata.name}`
    : slice && `endpointslice/${slice}`;
}

const namesIn = (evidence: readonly Evidence[], backend: Backend, facts: SliceFacts) => {
  const slice = nameIn(evidence, 'EndpointSlice');
  return { slice, source: sourceOf(backend, slice, facts) };
};

const correctAddresses =
  '[with] The addresses of a Service without a selector are managed by hand or by a program outside of Kubernetes. [end] Start a server at the address, or correct the address: `kubectl -n {namespace} edit {source}`. [end] If the error is a timeout, and the server runs, read the log of the server: the server may be too slow.';

export const endpointOfNoPod = defineCheck({
  meta: {
    id: 'endpoint-of-no-pod',
    title: 'Service has an endpoint that belongs to none of its Pods',
    severity: 'warning',
    consequence: 'degraded',
    why: 'No controller updates this EndpointSlice: it was written by hand, an old controller left it, or the endpoint slice controller does not run. It routes calls to an address where no Pod of the Service listens.',
    advice:
      '[look] Find out who manages the EndpointSlice, from its label `endpointslice.kubernetes.io/managed-by`: `kubectl -n {namespace} get endpointslice {slice} --show-labels`. [look] If the manager is `endpointslice-controller.k8s.io`, check that kube-controller-manager runs. [end] If another manager left the EndpointSlice behind, delete it: `kubectl -n {namespace} delete endpointslice {slice}`.',
    noRemedy: { because: 'the author of the EndpointSlice would write it again' },
    messages: {
      all: fatal('Every endpoint of Service {service} names a Pod that no longer exists ({addresses})'),
      gone: 'The Pod behind {stale} of {total} endpoints of Service {service} no longer exists ({addresses})',
      goneByHand: {
        text: 'The Pod behind {stale} of {total} endpoints of Service {service} no longer exists ({addresses}); the Service has no selector, so another server may respond',
        consequence: 'unknown',
        advice: correctAddresses,
      },
      unanswered: fatal(
        'The API server gets no response from the manually managed endpoints of Service {service} ({addresses}): {detail}',
        correctAddresses,
      ),
      unansweredSome: fatalForSome(
        'The API server gets no response from at least one of the {total} manually managed endpoints of Service {service} ({addresses}): {detail}',
        correctAddresses,
      ),
      other:
        '{stale} of {total} endpoints of Service {service} name a Pod that has another address ({addresses})',
      handMade: undecided(
        '{stale} of {total} endpoints of Service {service} name no Pod, although the Service has a selector ({addresses})',
      ),
    },
    references: ['/docs/concepts/services-networking/endpoint-slices/#management'],
  },
  requires: [...endpointFacts, 'pods', 'endpointPods', 'probes'],
  subjects: (facts) => backends(facts).filter(({ key }) => facts.endpointSlices.known(key)),
  run(backend, facts, find) {
    const { key: service } = backend;
    const usable = usableBehind(backend, facts);
    const total = usable.length;
    const faulty = usable.flatMap((endpoint) => {
      const fault = faultOf(endpoint, backend, facts);
      return fault === undefined ? [] : [{ endpoint, fault }];
    });
    const fault = (['gone', 'goneByHand', 'other', 'handMade'] as const).find((one) =>
      faulty.some((found) => found.fault === one),
    );
    if (fault === undefined) {
      const end = isByHand(backend, usable) ? unansweredCall(backend, facts) : undefined;
      if (end === undefined) return undefined;
      const message =
        untriedAddresses(backend.callout, facts) === undefined ? 'unanswered' : 'unansweredSome';
      const data = { service, total, addresses: addressesText(usable), detail: end.detail };
      const evidence = [...end.evidence, ...evidenceOf(backend, usable)];
      return find(message, data, evidence, namesIn(evidence, backend, facts), 'observed');
    }
    const stale = faulty.filter((found) => found.fault === fault).map(({ endpoint }) => endpoint);
    const message = fault === 'gone' && stale.length === total ? 'all' : fault;
    const data = { service, stale: stale.length, total, addresses: addressesText(stale) };
    const evidence = evidenceOf(backend, stale);
    return find(message, data, evidence, namesIn(evidence, backend, facts));
  },
});
