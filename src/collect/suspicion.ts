import { isVerified } from '../apiserver/certificate/anchors.ts';
import { serverHost } from '../apiserver/certificate/server-host.ts';
import { verifyServerCertificate } from '../apiserver/certificate/verify-server-certificate.ts';
import { proxiedPortOf } from '../apiserver/routing/route.ts';
import { type Callout, calloutId, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Endpoint, EndpointSlice } from '../facts/objects/endpoint-slice.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Service } from '../facts/objects/service.ts';
import { servingSources } from '../facts/serving-source.ts';
import type { Facts } from '../facts/snapshot.ts';
import { type CertificateQuestions, certificateQuestions } from '../products/certificate-questions.ts';
import type { Wishes } from './collector.ts';
import { looksSound } from './probes/looks-sound.ts';

/** A backend to read more about: the Service that callouts name, and the object where there is one. */
export interface SuspectBackend {
  readonly key: string;
  readonly namespace: string;
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
  /** It was called, and did not respond as it should. */
  readonly inTrouble: boolean;
  /** The API server does not trust the certificate that it serves. */
  readonly distrusted: boolean;
}

/** What tells which backends to read more about. */
export const backendFacts = ['services', 'endpointSlices', 'version', 'probes', 'clock'] as const;
export type BackendFacts = Pick<Facts, (typeof backendFacts)[number]>;

/** Several collectors of a run ask the same; of facts that are complete nothing changes. */
function oncePerRun<F, T>(find: (facts: F, wishes: Wishes) => T): (facts: F, wishes: Wishes) => T {
  const found = new WeakMap<Wishes, T>();
  return (facts, wishes) => {
    const known = found.get(wishes) ?? find(facts, wishes);
    if (!found.has(wishes)) found.set(wishes, known);
    return known;
  };
}

/**
 * What the names of a workload's Pods have in common: without the random end, the ordinal, and the hash of the
 * ReplicaSet (apimachinery util/rand: no vowels, so that no word comes out).
 */
const stem = (podName: string): string =>
  podName.replace(/-([a-z0-9]{5}|\d+)$/, '').replace(/-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/, '');

const takesCalls = ({ conditions }: Endpoint): boolean =>
  conditions?.ready !== false && conditions?.terminating !== true;

/**
 * False where endpoints may not be the Pods that they should be: an address that no Pod stands for beside a selector,
 * Pods named by hand where there is none, Pods of different workloads.
 */
function areItsPods(service: Service, endpoints: readonly Endpoint[]): boolean {
  const pods = endpoints.flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' ? (targetRef.name ?? '') : [],
  );
  const hasSelector = Object.keys(service.spec.selector ?? {}).length > 0;
  if (pods.length !== (hasSelector ? endpoints.length : 0)) return false;
  return new Set(pods.map(stem)).size <= 1;
}

/** Every endpoint of the port is there, ready, and of one workload: nothing in the slices hints at trouble. */
export function looksHealthy(service: Service, slices: readonly EndpointSlice[], port: number): boolean {
  // Readiness of these endpoints is published whatever the Pods say.
  if (service.spec.publishNotReadyAddresses === true) return false;
  const named = service.spec.ports?.find((candidate) => candidate.port === port)?.name ?? '';
  const offering = slices.filter(({ ports }) => ports?.some(({ name }) => (name ?? '') === named));
  const endpoints = offering.flatMap((slice) => slice.endpoints ?? []);
  return endpoints.length > 0 && endpoints.every(takesCalls) && areItsPods(service, endpoints);
}

/** What tells whether the API server trusts a server. */
const trustFacts = ['version', 'probes', 'clock'] as const;
type TrustFacts = Pick<Facts, (typeof trustFacts)[number]>;

/** The API server refuses a certificate that a probe was shown, or has no CA to check it by. */
function isDistrusted(callout: Callout, { probes, clock, version }: TrustFacts): boolean {
  const { replicas = [] } = probes.getIfKnown(calloutId(callout)) ?? {};
  if (!isVerified(callout) || !isServiceBacked(callout) || clock === undefined) return false;
  const given = {
    caBundle: callout.client.caBundle ?? '',
    host: serverHost(callout) ?? '',
    now: new Date(clock.server),
    serverVersion: version,
  };
  return replicas
    .flatMap(({ dialogues }) => dialogues.flatMap(({ handshake }) => handshake ?? []))
    .some(({ presented }) => verifyServerCertificate({ ...given, presented }).outcome !== 'accepted');
}

const servicesOf = (callouts: readonly Callout[]): ReadonlySet<string> =>
  new Set(callouts.flatMap(({ client: { service } }) => (service === undefined ? [] : [keyOf(service)])));

/** Services of callouts that did not respond as they should, all in the same way. */
const inTrouble = ({ probes }: Pick<Facts, 'probes'>, { chosen }: Wishes): ReadonlySet<string> =>
  servicesOf(
    chosen.filter((callout) => {
      const probed = probes.getIfKnown(calloutId(callout));
      return probed !== undefined && !looksSound(probed);
    }),
  );

/**
 * The backends that look broken, that probes found in trouble, or all of them where callouts were named. One whose
 * Service or slices could not be read is none: there is nothing to start from.
 */
export const backendsInQuestion = oncePerRun(
  (facts: BackendFacts, wishes: Wishes): readonly SuspectBackend[] => {
    const distrusted = servicesOf(wishes.chosen.filter((callout) => isDistrusted(callout, facts)));
    const troubled = new Set([...inTrouble(facts, wishes), ...distrusted]);
    const found = new Map<string, SuspectBackend>();
    for (const callout of wishes.chosen) {
      if (!isServiceBacked(callout)) continue;
      const { namespace, port, ...reference } = callout.client.service;
      const key = keyOf({ namespace, name: reference.name });
      if (found.has(key) || !facts.services.known(key) || !facts.endpointSlices.known(key)) continue;
      const service = facts.services.get(key);
      const slices = facts.endpointSlices.get(key) ?? [];
      if (
        !wishes.closely &&
        !wishes.closelyIn?.includes(namespace) &&
        !troubled.has(key) &&
        service !== undefined &&
        looksHealthy(service, slices, port)
      )
        continue;
      found.set(key, {
        key,
        namespace,
        service,
        slices,
        inTrouble: troubled.has(key),
        distrusted: distrusted.has(key),
      });
    }
    return [...found.values()];
  },
);

/** Of these the ones in namespaces that exist, in runs that ask why calls fail. */
export const brokenBackends = oncePerRun(
  (facts: BackendFacts & Pick<Facts, 'namespaces'>, wishes: Wishes): readonly SuspectBackend[] =>
    wishes.topics.includes('failures')
      ? backendsInQuestion(facts, wishes).filter(({ namespace }) => !facts.namespaces.isAbsent(namespace))
      : [],
);

/** The facts that {@link brokenBackends} goes by. */
export const brokenFacts = [...backendFacts, 'namespaces'] as const;

export const namespacesOf = (backends: readonly SuspectBackend[]): readonly string[] => [
  ...new Set(backends.map(({ namespace }) => namespace)),
];

/** Namespaces in which more than the Pods may keep calls away: of backends that were named, or are in trouble. */
export const troubledNamespaces = (
  facts: BackendFacts & Pick<Facts, 'namespaces'>,
  wishes: Wishes,
): readonly string[] =>
  namespacesOf(brokenBackends(facts, wishes).filter((backend) => wishes.closely || backend.inTrouble));

/** The Pods of a backend; none where they could not be read. */
export const podsOf = ({ pods }: Pick<Facts, 'pods'>, { key }: Pick<SuspectBackend, 'key'>): readonly Pod[] =>
  pods.getIfKnown(key) ?? [];

/** Some replicas take calls and others wait, as those do that do not lead. */
export function isPartlyReady({ slices }: SuspectBackend): boolean {
  const ready = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map((one) => one.conditions?.ready !== false);
  return ready.includes(true) && ready.includes(false);
}

/** The first container of a Pod that ended badly and has written a log. */
export const crashedContainer = ({ status }: Pod): string | undefined =>
  [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].find(
    ({ ready, restartCount, lastState }) =>
      !ready && restartCount > 0 && (lastState?.terminated?.exitCode ?? 0) !== 0,
  )?.name;

/** It is bound to a node, and does not start there. */
const waitsOnNode = ({ spec, status }: Pod): boolean =>
  status.phase === 'Pending' && spec.nodeName !== undefined;

/** Secrets of which Pods are looked at, at most. */
const secretsAtMost = 20;

/**
 * Secrets that Pods mount while they wait on their node for something; of Pods whose process ends again and again, the
 * one with their serving certificate, for want of which processes end. By `namespace/name`.
 */
export const secretsAwaited = oncePerRun((facts: Pick<Facts, 'pods'>, wishes: Wishes): readonly string[] => {
  const pods = wishes.topics.includes('failures') ? [...facts.pods.all()].flat() : [];
  const found = pods.flatMap((pod) => {
    const { metadata, spec } = pod;
    const mounted = waitsOnNode(pod) ? (spec.volumes ?? []) : [];
    const names = mounted.flatMap(({ secret, projected }) => [
      secret?.secretName,
      ...(projected?.sources ?? []).map((source) => source.secret?.name),
    ]);
    const serving = crashedContainer(pod) === undefined ? [] : servingSources(pod, undefined);
    return [...names, ...serving.flatMap(({ kind, name }) => (kind === 'Secret' ? [name] : []))].flatMap(
      (name) => (name === undefined ? [] : [keyOf({ namespace: metadata.namespace, name })]),
    );
  });
  return [...new Set(found)].slice(0, secretsAtMost);
});

/**
 * Namespaces in which whoever should have written a certificate or a caBundle is looked for: of backends that the API
 * server does not trust, and of Pods that wait on their node.
 */
export const certificatesInQuestion = (
  facts: BackendFacts & Pick<Facts, 'pods'>,
  wishes: Wishes,
): readonly string[] => {
  const distrusted = backendsInQuestion(facts, wishes).filter((backend) => backend.distrusted);
  const waiting = [...facts.pods.all()].flat().filter(waitsOnNode);
  return [
    ...new Set([...namespacesOf(distrusted), ...waiting.map(({ metadata }) => metadata.namespace ?? '')]),
  ];
};

/** The facts that {@link certificatesKept} goes by. */
export const certificateFacts = ['services', 'pods', ...trustFacts] as const;

/**
 * What has to be read to say how certificates are kept: of callouts that somebody asked about closely, and of those whose
 * servers are not trusted.
 */
export const certificatesKept = oncePerRun(
  (
    facts: Pick<Facts, (typeof certificateFacts)[number]>,
    { chosen, closely, topics }: Wishes,
  ): CertificateQuestions => {
    const about = topics.includes('certificates')
      ? chosen.filter((callout) => isDistrusted(callout, facts) || closely)
      : [];
    const questions = about.map((callout) => {
      const { service: reference } = callout.client;
      const key = reference === undefined ? '' : keyOf(reference);
      const service = facts.services.getIfKnown(key);
      const port = service && reference && proxiedPortOf(service, reference.port)?.targetPort;
      return certificateQuestions(callout, podsOf(facts, { key }), port ?? reference?.port);
    });
    const all = (part: keyof CertificateQuestions): readonly string[] => [
      ...new Set(questions.flatMap((one) => one[part])),
    ];
    return {
      secrets: all('secrets'),
      configMaps: all('configMaps'),
      certificates: all('certificates'),
      certificatesIn: all('certificatesIn'),
      leasesIn: all('leasesIn'),
    };
  },
);
