import {
  type Backend,
  backends,
  endpointFacts,
  endpointsBehind,
  hasSelector,
  selectorEvidence,
  usableBehind,
} from '../../apiserver/routing/backends.ts';
import type { BackendEndpoint } from '../../apiserver/routing/endpoints.ts';
import {
  endpointEvidence,
  portsOfSlices,
  portText,
  readyButNotProxied,
  unusableKindsText,
} from '../../apiserver/routing/unused-endpoints.ts';
import { secondsSince } from '../../basics/time.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { ContainerStatus, Pod } from '../../facts/objects/pod.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { initStatuses } from '../../facts/workloads/container-crash.ts';
import { labelsText, refOfPod } from '../../facts/workloads/workloads.ts';
import { spanText } from '../../phrases/durations.ts';
import { listed } from '../../phrases/lists.ts';
import { type PodWithState, podEvidence, podsText, podsWithState } from '../../pods/bad-replicas.ts';
import { type CheckStep, defineCheck, firstReported, type Messages, undecided } from '../check.ts';

/** The reason for each Pod if Pods were read, else the conditions in the EndpointSlices. */
function reasons(
  backend: Backend,
  endpoints: readonly BackendEndpoint[],
  facts: World<'pods' | 'events' | 'nodes' | 'secrets'>,
): readonly Evidence[] {
  const podStates = facts.pods.known(backend.key) ? podsWithState(backend, facts) : [];
  return podStates.length > 0 ? podEvidence(podStates) : endpointEvidence(backend, endpoints);
}

/** Seconds after its creation in which containers of a Pod are expected to start: for an older one, to wait is no advice. */
const expectedSeconds = 120;

/** The newest of the Pods: its age as ` (created 2 minutes ago)`, and whether its containers are expected to start. */
function newestOf(pods: readonly PodWithState[], { takenAt }: Pick<Facts, 'takenAt'>) {
  const newest = pods
    .flatMap(({ pod }) => pod.metadata.creationTimestamp ?? [])
    .toSorted()
    .at(-1);
  const age = newest === undefined ? undefined : secondsSince(newest, takenAt);
  if (newest === undefined || age === undefined) return { created: '', isExpected: false };
  // The clock of the API server can be ahead.
  if (age < 0) return { created: '', isExpected: true };
  return { created: ` (created ${spanText(takenAt, newest)})`, isExpected: age < expectedSeconds };
}

/**
 * The moment at which the kubelet ends the last of Pods that all are terminating (`deletionTimestamp` includes the grace
 * period); undefined if another one is left, it has passed, or the namespace is terminating and gets no new Pods.
 */
function endOfAll(
  pods: readonly PodWithState[],
  { namespace }: Backend,
  { takenAt, namespaces }: Pick<Facts, 'takenAt' | 'namespaces'>,
): string | undefined {
  if (namespaces.getIfKnown(namespace)?.metadata.deletionTimestamp !== undefined) return undefined;
  const ends = pods.flatMap(({ pod: { metadata } }) => metadata.deletionTimestamp ?? []).toSorted();
  const last = ends.length === pods.length ? ends.at(-1) : undefined;
  return last !== undefined && Date.parse(last) > Date.parse(takenAt) ? last : undefined;
}

/** The init container, or sidecar that has not started, for which all Pods wait, and since when it runs. */
function runningInit(pods: readonly PodWithState[]) {
  const each = pods.map(({ pod, state: { container } }) => {
    const since = container?.state?.running?.startedAt;
    const isNamed = ({ name }: ContainerStatus): boolean => name === container?.name;
    const isAwaited =
      initStatuses(pod).some(isNamed) ||
      // The next container starts as soon as a sidecar has started, whether it is Ready or not.
      (pod.status.initContainerStatuses?.some(isNamed) === true && container?.started !== true);
    return container === undefined || since === undefined || !isAwaited
      ? undefined
      : { pod: pod.metadata.name, container: container.name, since };
  });
  const [first] = each;
  return each.every((one) => one?.container === first?.container) ? first : undefined;
}

const correctSlices =
  '[look] List the EndpointSlices of the Service: `kubectl -n {namespace} get endpointslices -l kubernetes.io/service-name={service}`. [with] One of them must have the IP family of the Service address as `addressType`. [with] This EndpointSlice must have a TCP port with the name of the Service port, or without a name if the Service port has no name.';

/**
 * Slices with the name or owner of a Service and without the label that names it. Those of a multi-cluster
 * implementation have another label instead (KEP-1645).
 */
function unlabelledSlices({ service, namespace }: Backend, facts: World<'services' | 'endpointSlices'>) {
  const { name } = service.metadata;
  const others = facts.services
    .all()
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.name.startsWith(`${name}-`));
  const isNamed = (slice: string, of: string): boolean => slice === of || slice.startsWith(`${of}-`);
  return (facts.endpointSlices.getIfKnown(keyOf({ namespace, name: '' })) ?? []).filter(
    ({ metadata: { name: slice, labels, ownerReferences = [] }, endpoints }) =>
      (endpoints ?? []).length > 0 &&
      labels?.['multicluster.kubernetes.io/service-name'] === undefined &&
      (ownerReferences.some((owner) => owner.kind === 'Service' && owner.name === name) ||
        (isNamed(slice, name) && !others.some(({ metadata }) => isNamed(slice, metadata.name)))),
  );
}

const labelsOf = ({ metadata }: EndpointSlice): Evidence => ({
  object: refOf('EndpointSlice', metadata),
  field: 'metadata.labels',
  value: labelsText(metadata.labels ?? {}),
});

/** The ports of each EndpointSlice of a Service, whose author can rename them. */
const portsBySlice = ({ key }: Backend, facts: World<'endpointSlices'>): readonly Evidence[] =>
  (facts.endpointSlices.getIfKnown(key) ?? []).map(({ metadata, ports }) => ({
    object: refOf('EndpointSlice', metadata),
    field: 'ports[*].name',
    value: (ports ?? []).map(({ name }) => portText(name ?? '')).join(', '),
  }));

const advice =
  '[look] Find the Pod that is not Ready: `kubectl -n {namespace} get endpointslices,pods -o wide`. [look] Read the Events of the Pods: `kubectl -n {namespace} describe pods`.';

const waiting = '[safe] Wait until the Pods are Ready: `kubectl webhook wait {configuration}`.';

const messages = {
  none: 'Service {service} has no endpoints',
  noPods: 'Service {service} has no endpoints: no Pod matches {selector}',
  noSelector: {
    text: 'Service {service} has no selector and no endpoints',
    advice:
      '[end] Add a selector for the Pods of the webhook: `kubectl -n {namespace} edit service {service}`. [end] If the backend is outside of the cluster, create an EndpointSlice with the addresses of the backend.',
  },
  unlabelled: {
    text: 'Service {service} has no endpoints: EndpointSlice {slice} lacks the label kubernetes.io/service-name',
    advice:
      '[end] Add the label: `kubectl -n {namespace} label endpointslice {slice} kubernetes.io/service-name={service}`. [with] Add the label where the EndpointSlice is declared, too.',
  },
  noneReady: 'Service {service} has endpoints ({total}), but none is ready',
  noneReadyByHand: {
    text: 'Service {service} has manually managed endpoints ({total}), and none is marked ready',
    advice:
      '[with] The addresses of a Service without a selector are managed by hand or by a program outside of Kubernetes. [end] Start the server at the address, and set `conditions.ready` of the endpoint to true in the EndpointSlice: `kubectl -n {namespace} get endpointslices -l kubernetes.io/service-name={service}`.',
  },
  starting: {
    text: 'Pods of Service {service} are starting, and none is Ready yet{created}',
    advice: `${waiting} [look] If that takes more than a minute, read the Events of the Pods: \`kubectl -n {namespace} describe pods\`.`,
  },
  startsLong: {
    text: 'Pods of Service {service} are still starting, and none is Ready{created}',
    advice: '[look] Read the Events of the Pods: `kubectl -n {namespace} describe pods`.',
  },
  initializing: {
    text: 'Pods of Service {service} are starting: they wait for init container {container}, which has been running since {since}',
    advice: `${waiting} [look] If that takes more than a minute, read the log of the init container: \`kubectl -n {namespace} logs {pod} -c {container}\`.`,
  },
  initializesLong: {
    text: 'Pods of Service {service} are still starting: they wait for init container {container}, which has been running since {since}',
    advice: '[look] Read the log of the init container: `kubectl -n {namespace} logs {pod} -c {container}`.',
  },
  leaving: {
    text: 'All Pods of Service {service} are terminating ({pods}), at the latest until {until}',
    advice:
      '[with] A Deployment with strategy `Recreate`, or a StatefulSet, creates new Pods only when the old ones have ended. [end] Wait, or end each Pod now: `kubectl -n {namespace} delete pod {pod} --grace-period=1`. [prevent] To avoid the outage, use strategy `RollingUpdate`: `kubectl -n {namespace} edit {workload}`.',
  },
  ended: {
    text: 'Service {service} has no endpoints: its Pods completed or failed ({pods})',
    advice:
      '[look] Read the exit codes and reasons of the Pods: `kubectl -n {namespace} describe pods`. [end] Such Pods do not run again: run the webhook in a Deployment, which replaces them.',
  },
  portNameDiffers: {
    text: 'EndpointSlices of Service {service} have no port {port}; they have {ports}',
    advice: correctSlices,
  },
  noPort: {
    text: 'EndpointSlices of Service {service} have addresses but no port',
    advice: correctSlices,
  },
  notProxied: {
    text: 'kube-proxy has no endpoint for {clusterIP}, the address of Service {service}: its endpoints are {kinds}',
    advice: correctSlices,
  },
  perhapsNotProxied: undecided(
    'kube-proxy has no endpoint for {clusterIP} of Service {service}, only {kinds}; the API server uses these with --enable-aggregator-routing, which is not visible',
    correctSlices,
  ),
} as const satisfies Messages;

const requires = [...endpointFacts, 'pods', 'events', 'nodes', 'secrets', 'namespaces'] as const;
type UnreadyFacts = World<(typeof requires)[number]>;
type OwnStep = CheckStep<UnreadyBackend, typeof requires, typeof messages, typeof advice>;

/** A backend without an address that a call can reach. */
interface UnreadyBackend extends Backend {
  readonly endpoints: readonly BackendEndpoint[];
  /** Undefined if they were not read. */
  readonly selected: readonly Pod[] | undefined;
  readonly states: readonly PodWithState[];
  readonly evidence: readonly Evidence[];
}

function unreadyBackend(backend: Backend, facts: UnreadyFacts): UnreadyBackend {
  const { key } = backend;
  const endpoints = endpointsBehind(backend, facts);
  const selected = facts.pods.isAbsent(key) ? [] : facts.pods.getIfKnown(key);
  const states = selected === undefined ? [] : podsWithState(backend, facts);
  return { ...backend, endpoints, selected, states, evidence: reasons(backend, endpoints, facts) };
}

/** Endpoints that kube-proxy does not use. */
const notProxied: OwnStep = (backend, facts, find) => {
  const { key, service } = backend;
  const strange = readyButNotProxied(backend, facts);
  if (strange.length === 0) return undefined;
  const clusterIP = service.spec.clusterIP ?? '';
  const data = { service: key, clusterIP, kinds: unusableKindsText(strange) };
  const messageId = facts.routing.mode === undefined ? 'perhapsNotProxied' : 'notProxied';
  return find(messageId, data, endpointEvidence(backend, strange));
};

/** EndpointSlices without the port, or with none. */
const missingPort: OwnStep = (backend, facts, find) => {
  const { key: service, port, endpoints, evidence } = backend;
  const ports = portsOfSlices(backend, facts);
  if (endpoints.length > 0 || ports === undefined || ports.includes(port.name ?? '')) return undefined;
  if (ports.length === 0) return hasSelector(backend) ? undefined : find('noPort', { service });
  const names = { port: portText(port.name ?? ''), ports: listed(ports.map(portText)) };
  const slices = hasSelector(backend) ? evidence : portsBySlice(backend, facts);
  return find('portNameDiffers', { service, ...names }, slices);
};

/** A Service that selects no Pods, and has no endpoint. */
const unselecting: OwnStep = (backend, facts, find) => {
  const { key: service, endpoints } = backend;
  if (hasSelector(backend) || endpoints.length > 0) return undefined;
  const [slice] = unlabelledSlices(backend, facts);
  if (slice === undefined) return find('noSelector', { service });
  const names = { slice: slice.metadata.name };
  return find('unlabelled', { service, ...names }, [labelsOf(slice)], names);
};

/** Pods that have just started. */
const starting: OwnStep = (backend, facts, find) => {
  const { key: service, states, evidence } = backend;
  if (states.length === 0 || !states.every(({ state }) => state.state === 'starting')) return undefined;
  const initial = runningInit(states);
  const { created, isExpected } = newestOf(states, facts);
  if (initial === undefined) {
    // A container that runs counts as starting for a limited time only.
    const isSoon = isExpected || states.some(({ state }) => state.container?.state?.running !== undefined);
    return find(isSoon ? 'starting' : 'startsLong', { service, created }, evidence);
  }
  const { pod, container } = initial;
  const messageId = isExpected ? 'initializing' : 'initializesLong';
  return find(messageId, { service, ...initial }, evidence, { pod, container });
};

/** Pods that are all terminating. */
const leaving: OwnStep = (backend, facts, find) => {
  const { key: service, selected, states, evidence } = backend;
  const until = selected && endOfAll(states, backend, facts);
  if (until === undefined) return undefined;
  const pods = states.map(({ pod }) => pod);
  const names = { pod: pods[0]?.metadata.name };
  return find('leaving', { service, pods: podsText(pods, pods), until }, evidence, names);
};

const hasEnded = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

/** Pods that all completed or failed. */
const ended: OwnStep = ({ key, selected = [], states }, _facts, find) => {
  if (selected.length === 0 || states.length > 0 || !selected.every(hasEnded)) return undefined;
  const phases = selected.map((pod) => ({
    object: refOfPod(pod),
    field: 'status.phase',
    value: String(pod.status.phase),
  }));
  return find('ended', { service: key, pods: podsText(selected, selected) }, phases);
};

/** Endpoints that are not ready, or none. */
const notReady: OwnStep = (backend, _facts, find) => {
  const { key: service, endpoints, selected, evidence } = backend;
  const byHand = !hasSelector(backend) && endpoints.every(({ pod }) => pod === undefined);
  const total = endpoints.length;
  if (total > 0) return find(byHand ? 'noneReadyByHand' : 'noneReady', { service, total }, evidence);
  if (selected?.length !== 0) return find('none', { service }, evidence);
  const shown = selectorEvidence(backend);
  return find('noPods', { service, selector: shown.value }, [shown]);
};

export const noReadyEndpoint = defineCheck({
  meta: {
    id: 'no-ready-endpoint',
    title: 'Service has no ready endpoint',
    consequence: 'failing',
    why: 'kube-proxy refuses connections to the Service address (`connection refused`); an API server that routes to endpoints reports `no endpoints available for service`. Every matching request fails or is admitted unchecked, according to failurePolicy.',
    advice,
    noRemedy: 'only-follows',
    quick: true,
    messages,
    follows: 'every-unreadiness',
    references: [
      '/docs/tasks/debug/debug-application/debug-service/#does-the-service-have-any-endpointslices',
    ],
  },
  requires,
  subjects: backends,
  run(backend, facts, find) {
    if (usableBehind(backend, facts).length > 0) return undefined;
    const steps = [notProxied, missingPort, unselecting, starting, leaving, ended, notReady];
    return firstReported(...steps)(unreadyBackend(backend, facts), facts, find);
  },
});
