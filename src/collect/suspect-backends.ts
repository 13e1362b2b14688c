import { isVerified, trustOf } from '../apiserver/certificate/anchors.ts';
import { verifyServerCertificate } from '../apiserver/certificate/verify/verify-server-certificate.ts';
import { alertsWithoutCertificate } from '../apiserver/connection/handshake-alerts.ts';
import { serverHost } from '../apiserver/routing/server-host.ts';
import { secondsSince } from '../basics/time.ts';
import { type Callout, calloutId, isServiceBacked, serviceKeys } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import {
  type Endpoint,
  type EndpointSlice,
  endpointsChangedAt,
  endpointsIn,
  isReadyEndpoint,
} from '../facts/objects/endpoint-slice.ts';
import { selectsPod } from '../facts/objects/label-selector.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { type Service, selectsPods } from '../facts/objects/service.ts';
import type { ReplicaProbe } from '../facts/probes.ts';
import type { Facts, World } from '../facts/snapshot.ts';
import { podNameStem } from '../facts/workloads/workloads.ts';
import { mayMissPods } from '../products/requested-injection.ts';
import { uncalledServices } from '../products/uncalled-services.ts';
import type { ReadOptions } from './collector.ts';
import { looksHealthyToProbes, respondsLate } from './probes/looks-healthy.ts';

/** A backend to examine: the Service that webhooks refer to, and its object if it exists. */
export interface SuspectBackend {
  readonly key: string;
  readonly namespace: string;
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
  readonly failedProbe: boolean;
  /** The API server does not trust the certificate that it serves, or has no CA to verify it; or it serves none. */
  readonly distrusted: boolean;
  /** A probe received a certificate: its server runs. */
  readonly serves: boolean;
  /** It looks healthy, and is examined because its Pods changed in the last hour, or a new one does not start. */
  readonly changedOnly: boolean;
}

/** The facts that decide which backends to examine. */
export const backendFacts = [
  'services',
  'endpointSlices',
  'startingPods',
  'version',
  'probes',
  'clock',
] as const;
export type BackendFacts = World<(typeof backendFacts)[number]>;

/** Caches the result for complete facts: several collectors of a run need it. */
export function oncePerRun<F, T>(
  find: (facts: F, readOptions: ReadOptions) => T,
): (facts: F, readOptions: ReadOptions) => T {
  const found = new WeakMap<ReadOptions, T>();
  return (facts, readOptions) => {
    const known = found.get(readOptions) ?? find(facts, readOptions);
    if (!found.has(readOptions)) found.set(readOptions, known);
    return known;
  };
}

const servesCalls = ({ conditions }: Endpoint): boolean =>
  conditions?.ready !== false && conditions?.terminating !== true;

/**
 * False if endpoints may not be the right Pods: an address without a Pod although the Service has a selector,
 * Pods without a selector, or Pods of different workloads.
 */
function areItsPods(service: Service, endpoints: readonly Endpoint[]): boolean {
  const pods = endpoints.flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' ? (targetRef.name ?? '') : [],
  );
  const hasSelector = selectsPods(service);
  if (pods.length !== (hasSelector ? endpoints.length : 0)) return false;
  return new Set(pods.map(podNameStem)).size <= 1;
}

/** True if the port has endpoints, all ready and of one workload: the EndpointSlices show no problem. */
export function looksHealthy(service: Service, slices: readonly EndpointSlice[], port: number): boolean {
  // These endpoints are published regardless of the readiness of Pods.
  if (service.spec.publishNotReadyAddresses === true) return false;
  const named = service.spec.ports?.find((candidate) => candidate.port === port)?.name ?? '';
  const offering = slices.filter(({ ports }) => ports?.some(({ name }) => (name ?? '') === named));
  const endpoints = endpointsIn(offering);
  return endpoints.length > 0 && endpoints.every(servesCalls) && areItsPods(service, endpoints);
}

/** Seconds after the creation of an EndpointSlice in which its Pods start for the first time. */
const installSeconds = 600;

/** Seconds in which evictions, OOM kills and crashes have the same cause. */
const recently = 3600;

/**
 * True if Pods of the Service became Ready again within the last hour: they may have been evicted, or have crashed. Those
 * of an injector may also have been Ready too late for other Pods when they started for the first time.
 */
function changedRecently(slices: readonly EndpointSlice[], takenAt: string, isInjector: boolean): boolean {
  const at = endpointsChangedAt(slices);
  const [created] = slices.flatMap(({ metadata }) => metadata.creationTimestamp ?? []).toSorted();
  return (
    (secondsSince(at, takenAt) ?? recently) < recently &&
    (isInjector || (secondsSince(created, at ?? takenAt) ?? 0) > installSeconds)
  );
}

/** Seconds in which a Pod of a normal rollout pulls its image and starts. */
const startSeconds = 60;

/** True if a Pod of the Service should have started long ago: a rollout that waits while old Pods serve. */
const waitsForPod = (
  service: Service,
  { startingPods, takenAt }: Pick<BackendFacts, 'startingPods' | 'takenAt'>,
): boolean =>
  (startingPods.getIfKnown(service.metadata.namespace ?? '') ?? []).some(
    ({ metadata }) =>
      selectsPod(service, metadata) &&
      (secondsSince(metadata.creationTimestamp, takenAt) ?? 0) > startSeconds,
  );

/** The facts that decide whether the API server trusts a server. */
export const trustFacts = ['version', 'probes', 'clock'] as const;
export type TrustFacts = Pick<Facts, (typeof trustFacts)[number]>;

const handshakesOf = (callout: Callout, { probes }: Pick<Facts, 'probes'>) =>
  (probes.getIfKnown(calloutId(callout))?.replicas ?? []).flatMap(({ dialogues }) =>
    dialogues.flatMap(({ handshake }) => handshake ?? []),
  );

/** True if a server ended the handshake of a probe because it has no certificate. */
const presentsNone = ({ dialogues }: ReplicaProbe): boolean =>
  dialogues.some(({ failure }) => alertsWithoutCertificate.includes(failure?.alert ?? ''));

/**
 * True if the API server does not accept a certificate that a probe received, or has no CA to verify it; also if a server
 * has no certificate.
 */
export function isDistrusted(callout: Callout, { probes, clock, version }: TrustFacts): boolean {
  const { replicas = [] } = probes.getIfKnown(calloutId(callout)) ?? {};
  if (!isVerified(callout) || !isServiceBacked(callout) || clock === undefined) return false;
  const now = new Date(clock.server);
  if (Number.isNaN(now.getTime())) return false;
  const given = {
    caBundle: callout.client.caBundle ?? '',
    host: serverHost(callout) ?? '',
    now,
    serverVersion: version,
  };
  const served = handshakesOf(callout, { probes });
  if (served.length === 0)
    return (
      replicas.some(presentsNone) || (replicas.length > 0 && trustOf(callout, version)?.kind !== 'loaded')
    );
  return served.some(
    ({ presented }) => verifyServerCertificate({ ...given, presented }).outcome !== 'accepted',
  );
}

const servicesWithFailedProbes = (
  { probes }: Pick<Facts, 'probes'>,
  { chosen }: ReadOptions,
): ReadonlySet<string> =>
  serviceKeys(
    chosen.filter((callout) => {
      const probed = probes.getIfKnown(calloutId(callout));
      return (
        probed !== undefined &&
        (!looksHealthyToProbes(probed) || respondsLate(probed, callout.timeoutSeconds))
      );
    }),
  );

/**
 * The backends that look broken, whose probes failed, whose Pods changed recently or have a new one that does not
 * start, or all if webhooks were named. A backend whose Service or EndpointSlices could not be read is omitted.
 */
export const backendsInQuestion = oncePerRun(
  (facts: BackendFacts, readOptions: ReadOptions): readonly SuspectBackend[] => {
    const distrusted = serviceKeys(readOptions.chosen.filter((callout) => isDistrusted(callout, facts)));
    const serving = serviceKeys(
      readOptions.chosen.filter((callout) => handshakesOf(callout, facts).length > 0),
    );
    const injecting = serviceKeys(readOptions.chosen.filter(mayMissPods));
    const failing = new Set([...servicesWithFailedProbes(facts, readOptions), ...distrusted]);
    const found = new Map<string, SuspectBackend>();
    const seen = new Set<string>();
    for (const callout of readOptions.chosen) {
      if (!isServiceBacked(callout)) continue;
      const { namespace, port, ...reference } = callout.client.service;
      const key = keyOf({ namespace, name: reference.name });
      const known = facts.services.known(key) && facts.endpointSlices.known(key);
      if (found.has(key) || seen.has(`${key}:${port}`) || !known) continue;
      seen.add(`${key}:${port}`);
      const service = facts.services.get(key);
      const slices = facts.endpointSlices.get(key) ?? [];
      const healthy =
        !readOptions.examineAll &&
        !readOptions.examineIn?.includes(namespace) &&
        !failing.has(key) &&
        service !== undefined &&
        looksHealthy(service, slices, port);
      const changed = changedRecently(slices, facts.takenAt, injecting.has(key));
      if (healthy && !changed && !waitsForPod(service, facts)) continue;
      found.set(key, {
        key,
        namespace,
        service,
        slices,
        failedProbe: failing.has(key),
        distrusted: distrusted.has(key),
        serves: serving.has(key),
        changedOnly: healthy,
      });
    }
    return [...found.values()];
  },
);

/** The broken backends in existing namespaces, for runs about causes of failing calls. */
export const brokenBackends = oncePerRun(
  (facts: BackendFacts & Pick<Facts, 'namespaces'>, readOptions: ReadOptions): readonly SuspectBackend[] =>
    readOptions.topics.includes('failures')
      ? backendsInQuestion(facts, readOptions).filter(
          ({ namespace }) => !facts.namespaces.isAbsent(namespace),
        )
      : [],
);

/** The facts that {@link brokenBackends} requires. */
export const brokenFacts = [...backendFacts, 'namespaces'] as const;

/** The namespaces of these backends, each once. */
export const namespacesOf = (backends: readonly SuspectBackend[]): readonly string[] => [
  ...new Set(backends.map(({ namespace }) => namespace)),
];

/** Namespaces of products that register webhooks while they run, have no endpoints, and have no webhook. */
export const namespacesOfUnregistered = (
  facts: Pick<Facts, 'services' | 'endpointSlices'>,
  { chosen, examineAll, topics }: ReadOptions,
): readonly string[] =>
  examineAll || !topics.includes('failures')
    ? []
    : uncalledServices(chosen, facts).flatMap(({ service: { metadata }, product }) => {
        const slices = facts.endpointSlices.getIfKnown(keyOf(metadata));
        const endpoints = endpointsIn(slices ?? []);
        return product !== undefined && endpoints.length === 0 ? (metadata.namespace ?? []) : [];
      });

/** Namespaces in which objects other than Pods may block calls: those of named and of broken backends. */
export const failingNamespaces = (
  facts: BackendFacts & Pick<Facts, 'namespaces'>,
  readOptions: ReadOptions,
): readonly string[] =>
  namespacesOf(
    brokenBackends(facts, readOptions).filter((backend) => readOptions.examineAll || backend.failedProbe),
  );

/** The Pods of a backend; empty if not read. */
export const podsOf = ({ pods }: Pick<Facts, 'pods'>, { key }: Pick<SuspectBackend, 'key'>): readonly Pod[] =>
  pods.getIfKnown(key) ?? [];

/** True if some replicas are ready and others wait, as with leader election. */
export function isPartlyReady({ slices }: SuspectBackend): boolean {
  const ready = endpointsIn(slices).map(isReadyEndpoint);
  return ready.includes(true) && ready.includes(false);
}
