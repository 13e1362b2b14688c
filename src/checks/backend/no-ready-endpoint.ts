import {
  type Backend,
  backends,
  endpointFacts,
  endpointsBehind,
  hasSelector,
  serviceRef,
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
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refOf } from '../../facts/object-ref.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { ContainerStatus, Pod } from '../../facts/objects/pod.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { initStatuses } from '../../facts/workloads/container-crash.ts';
import { podContext } from '../../facts/workloads/pod-context.ts';
import { labelsText, refOfPod } from '../../facts/workloads/workloads.ts';
import { spanText } from '../../phrases/durations.ts';
import { listed } from '../../phrases/lists.ts';
import { type PodWithState, podEvidence, podsText, podsWithState } from '../../pods/bad-replicas.ts';
import { defineCheck, undecided } from '../check.ts';
import { notRunning } from '../replica/not-running.ts';

/** The reason for each Pod if Pods were read, else the conditions in the EndpointSlices. */
function reasons(
  backend: Backend,
  endpoints: readonly BackendEndpoint[],
  facts: World<'pods' | 'events' | 'nodes' | 'secrets'>,
): readonly Evidence[] {
  const podStates = facts.pods.known(backend.key) ? podsWithState(backend, facts) : [];
  return podStates.length > 0 ? podEvidence(podStates) : endpointEvidence(backend, endpoints);
}

/** The latest failure of a readiness or startup probe of each Pod. */
const probeFailures = (
  pods: readonly PodWithState[],
  facts: World<'events' | 'nodes' | 'secrets'>,
): readonly Evidence[] =>
  pods.flatMap(({ pod }) => {
    const failed = podContext(pod, facts).events.find(({ reason }) => reason === 'Unhealthy');
    return failed?.message === undefined
      ? []
      : { object: refOfPod(pod), field: 'events', value: failed.message };
  });

/** ` (created 2 minutes ago)`: the age of the newest of the Pods. */
function createdText(pods: readonly PodWithState[], { takenAt }: Pick<Facts, 'takenAt'>): string {
  const newest = pods
    .flatMap(({ pod }) => pod.metadata.creationTimestamp ?? [])
    .toSorted()
    .at(-1);
  return newest === undefined || newest > takenAt ? '' : ` (created ${spanText(takenAt, newest)})`;
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

const phases = (pods: readonly Pod[]): readonly Evidence[] =>
  pods.map((pod) => ({ object: refOfPod(pod), field: 'status.phase', value: String(pod.status.phase) }));

const hasEnded = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

const correctSlices =
  '[look] List its EndpointSlices: `kubectl -n {namespace} get endpointslices -l kubernetes.io/service-name={service}`. [with] One must have the IP family of the Service address as `addressType`. [with] It must have a TCP port with the name of the Service port, or without a name if that has none.';

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

export const noReadyEndpoint = defineCheck({
  meta: {
    id: 'no-ready-endpoint',
    title: 'Service has no ready endpoint',
    consequence: 'failing',
    why: 'kube-proxy refuses connections to the Service address (`connection refused`); an API server that routes to endpoints reports `no endpoints available for service`. Every matching request fails or is admitted unchecked, according to failurePolicy.',
    advice:
      '[look] Find the Pod that is not Ready: `kubectl -n {namespace} get endpointslices,pods -o wide`. [look] Read why: `kubectl -n {namespace} describe pods`.',
    noRemedy: 'only-follows',
    quick: true,
    messages: {
      none: 'Service {service} has no endpoints',
      noPods: 'Service {service} has no endpoints: no Pod matches {selector}',
      noSelector: {
        text: 'Service {service} has no selector and no endpoints',
        advice:
          '[end] Add a selector for the Pods of the webhook: `kubectl -n {namespace} edit service {service}`. [end] If its backend is outside of the cluster, create an EndpointSlice with its addresses.',
      },
      unlabelled: {
        text: 'Service {service} has no endpoints: EndpointSlice {slice} lacks the label kubernetes.io/service-name',
        advice:
          '[end] Add the label: `kubectl -n {namespace} label endpointslice {slice} kubernetes.io/service-name={service}`. [with] Declare it where the EndpointSlice is declared, too.',
      },
      noneReady: 'Service {service} has endpoints ({total}), but none is ready',
      noneReadyByHand: {
        text: 'Service {service} has manually managed endpoints ({total}), and none is marked ready',
        advice:
          '[with] The addresses of a Service without a selector are managed manually, or by a program of yours. [end] Start the server there, and set `conditions.ready` of its endpoint to true in the EndpointSlice: `kubectl -n {namespace} get endpointslices -l kubernetes.io/service-name={service}`.',
      },
      starting: {
        text: 'Pods of Service {service} are starting, and none is Ready yet{created}',
        advice:
          '[safe] Wait until they are Ready: `kubectl webhook wait {configuration}`. [look] If it takes more than a minute, read why: `kubectl -n {namespace} describe pods`.',
      },
      initializing: {
        text: 'Pods of Service {service} are starting: they wait for init container {container}, which has been running since {since}',
        advice:
          '[safe] Wait until they are Ready: `kubectl webhook wait {configuration}`. [look] If it takes more than a minute, read the log of the init container: `kubectl -n {namespace} logs {pod} -c {container}`.',
      },
      leaving: {
        text: 'All Pods of Service {service} are terminating ({pods}), at the latest until {until}',
        advice:
          '[with] A Deployment with strategy `Recreate`, or a StatefulSet, creates new Pods only when the old ones have ended. [end] Wait, or end each Pod now: `kubectl -n {namespace} delete pod {pod} --grace-period=1`. [prevent] To avoid the outage, use strategy `RollingUpdate`: `kubectl -n {namespace} edit {workload}`.',
      },
      ended: {
        text: 'Service {service} has no endpoints: its Pods completed or failed ({pods})',
        advice:
          '[look] Read why they ended: `kubectl -n {namespace} describe pods`. [end] They do not run again: run the webhook in a Deployment, which replaces such Pods.',
      },
      portNameDiffers: {
        text: 'EndpointSlices of Service {service} have no port {port}; their ports are {ports}',
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
      perhapsNotProxied: {
        ...undecided(
          'kube-proxy has no endpoint for {clusterIP} of Service {service}, only {kinds}; the API server uses these with --enable-aggregator-routing, which is not visible',
        ),
        advice: correctSlices,
      },
    },
    // Everything that prevents Pods from being created, selected or ready explains why there is no endpoint.
    follows: [
      'service-not-proxied',
      'selector-matches-no-pod',
      'workload-missing',
      'workload-scaled-to-zero',
      'workload-cannot-create-pods',
      'rollout-paused',
      'target-port-name-missing',
      'endpoints-only-terminating',
      ...notRunning,
      'service-account-lacks-rights',
      'serving-secret-missing',
      // Of Pods that wait for their certificate.
      'certificate-writer-not-running',
      'url-not-resolvable',
      'url-unreachable',
      'target-port-closed',
      'replica-not-listening',
      'replica-listens-on-loopback-only',
      'replica-hangs',
      'replica-speaks-plain-http',
      'replica-closes-connections',
      'leader-gated-listener',
      'leader-gated-answer',
      'leader-lease-stale',
      'replicas-disagree',
      'response-path-not-found',
      'response-redirects',
      'response-unauthorized',
      'response-server-error',
      'response-empty',
      'response-conversion-failed',
      'response-not-a-review',
      'response-uid-mismatch',
      'response-version-mismatch',
      'response-patch-invalid',
      'unreachable-from-control-plane',
      'address-not-allowed',
      'firewall-target-port',
      'network-policy-shields-webhook',
      'tunnel-down',
      'mesh-intercepts-port',
      'host-network-port-conflict',
      'bootstrap-deadlock',
      'deadlock-cycle',
    ],
    references: [
      '/docs/tasks/debug/debug-application/debug-service/#does-the-service-have-any-endpointslices',
    ],
  },
  requires: [...endpointFacts, 'pods', 'events', 'nodes', 'secrets', 'namespaces'],
  subjects: backends,
  run(backend, facts, find) {
    const { key, service, port } = backend;
    if (usableBehind(backend, facts).length > 0) return undefined;
    const endpoints = endpointsBehind(backend, facts);
    const evidence = reasons(backend, endpoints, facts);
    const strange = readyButNotProxied(backend, facts);
    if (strange.length > 0) {
      const messageId = facts.routing.mode === undefined ? 'perhapsNotProxied' : 'notProxied';
      const data = {
        service: key,
        clusterIP: service.spec.clusterIP ?? '',
        kinds: unusableKindsText(strange),
      };
      return find(messageId, data, endpointEvidence(backend, strange));
    }
    const ports = portsOfSlices(backend, facts);
    if (endpoints.length === 0 && ports !== undefined && !ports.includes(port.name ?? '')) {
      const names = { port: portText(port.name ?? ''), ports: listed(ports.map(portText)) };
      const slices = hasSelector(backend) ? evidence : portsBySlice(backend, facts);
      if (ports.length > 0) return find('portNameDiffers', { service: key, ...names }, slices);
      if (!hasSelector(backend)) return find('noPort', { service: key });
    }
    if (!hasSelector(backend) && endpoints.length === 0) {
      const [slice] = unlabelledSlices(backend, facts);
      if (slice === undefined) return find('noSelector', { service: key });
      const { name } = slice.metadata;
      return find('unlabelled', { service: key, slice: name }, [labelsOf(slice)], { slice: name });
    }
    const selected = facts.pods.isAbsent(key) ? [] : facts.pods.getIfKnown(key);
    const pods = selected && podsWithState(backend, facts);
    if (pods !== undefined && pods.length > 0 && pods.every(({ state }) => state.state === 'starting')) {
      const seen = [...evidence, ...probeFailures(pods, facts)];
      const initial = runningInit(pods);
      if (initial === undefined)
        return find('starting', { service: key, created: createdText(pods, facts) }, seen);
      const { pod, container, since } = initial;
      return find('initializing', { service: key, container, since }, seen, { pod, container });
    }
    const until = pods && endOfAll(pods, backend, facts);
    if (pods !== undefined && until !== undefined) {
      const names = pods.map(({ pod }) => pod);
      const data = { service: key, pods: podsText(names, names), until };
      return find('leaving', data, evidence, { pod: names[0]?.metadata.name });
    }
    if (selected !== undefined && selected.length > 0 && pods?.length === 0 && selected.every(hasEnded)) {
      return find('ended', { service: key, pods: podsText(selected, selected) }, phases(selected));
    }
    if (endpoints.length > 0) {
      const byHand = !hasSelector(backend) && endpoints.every(({ pod }) => pod === undefined);
      return find(
        byHand ? 'noneReadyByHand' : 'noneReady',
        { service: key, total: endpoints.length },
        evidence,
      );
    }
    if (selected?.length !== 0) return find('none', { service: key }, evidence);
    const selector = labelsText(service.spec.selector ?? {});
    return find('noPods', { service: key, selector }, [
      { object: serviceRef(backend), field: 'spec.selector', value: selector },
    ]);
  },
});
