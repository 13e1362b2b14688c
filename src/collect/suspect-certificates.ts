import { proxiedPortOf } from '../apiserver/routing/route.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { servingSources } from '../facts/objects/serving-source.ts';
import type { Facts } from '../facts/snapshot.ts';
import { isPodReady } from '../facts/workloads/pod-state.ts';
import { secretsOfVolumes } from '../facts/workloads/volume-sources.ts';
import { requestedInjector } from '../products/ca-injectors.ts';
import { type CertificateQuestions, certificateQuestions } from '../products/certificate-questions.ts';
import type { ReadOptions } from './collector.ts';
import {
  type BackendFacts,
  backendsInQuestion,
  isDistrusted,
  namespacesOf,
  oncePerRun,
  podsOf,
  type TrustFacts,
  trustFacts,
} from './suspect-backends.ts';
import { crashedContainer } from './suspect-pods.ts';

/** True if the Pod is scheduled but does not start on its node. */
const waitsOnNode = ({ spec, status }: Pod): boolean =>
  status.phase === 'Pending' && spec.nodeName !== undefined;

/** True if the Pod runs, is not Ready, and mounts a Secret for its certificate, which may be empty. */
const waitsForCertificate = (pod: Pod): boolean =>
  pod.status.phase === 'Running' &&
  !isPodReady(pod) &&
  crashedContainer(pod) === undefined &&
  servingSources(pod, undefined).some(({ kind }) => kind === 'Secret');

/** The maximum number of Pods whose Secrets are read. */
const secretsAtMost = 20;

/**
 * Secrets that Pods which have not started mount; for crash-looping Pods, and if no Pod is Ready, the one with their
 * serving certificate, as processes exit or wait if it is missing or empty. By `namespace/name`.
 */
export const secretsAwaited = oncePerRun(
  (facts: Pick<Facts, 'pods'>, readOptions: ReadOptions): readonly string[] => {
    const services = readOptions.topics.includes('failures') ? facts.pods.all() : [];
    const found = services.flatMap((pods) => {
      const isDown = !pods.some(isPodReady);
      return pods.flatMap((pod) => {
        const { metadata, spec } = pod;
        const names = waitsOnNode(pod) ? secretsOfVolumes(spec.volumes) : [];
        const serving = isDown || crashedContainer(pod) !== undefined ? servingSources(pod, undefined) : [];
        return [...names, ...serving.flatMap(({ kind, name }) => (kind === 'Secret' ? [name] : []))].map(
          (name) => keyOf({ namespace: metadata.namespace, name }),
        );
      });
    });
    return [...new Set(found)].slice(0, secretsAtMost);
  },
);

/**
 * Namespaces in which the writer of a certificate or a caBundle is searched for: those of backends that the
 * API server does not trust, and of Pods that do not start on their node or wait for their certificate.
 */
export const certificatesInQuestion = (
  facts: BackendFacts & Pick<Facts, 'pods'>,
  readOptions: ReadOptions,
): readonly string[] => {
  const distrusted = backendsInQuestion(facts, readOptions).filter((backend) => backend.distrusted);
  const waiting = facts.pods
    .all()
    .flat()
    .filter((pod) => waitsOnNode(pod) || waitsForCertificate(pod));
  return [
    ...new Set([...namespacesOf(distrusted), ...waiting.map(({ metadata }) => metadata.namespace ?? '')]),
  ];
};

/** Namespaces of the CA injectors from which backends that the API server does not trust request the CA. */
export const injectorsInQuestion = (facts: TrustFacts, { chosen }: ReadOptions): readonly string[] =>
  chosen
    .filter((callout) => isDistrusted(callout, facts))
    .flatMap(({ metadata }) => requestedInjector(metadata)?.injector.log.place ?? []);

/** The facts that {@link certificatesToRead} requires. */
export const certificateFacts = ['services', 'pods', ...trustFacts] as const;

/** The callouts whose certificate sources are read: examined ones, and those that are not trusted. */
export const certificatesToRead = oncePerRun(
  (
    facts: Pick<Facts, (typeof certificateFacts)[number]>,
    { chosen, examineAll, topics }: ReadOptions,
  ): CertificateQuestions => {
    const about = topics.includes('certificates')
      ? chosen.filter((callout) => isDistrusted(callout, facts) || examineAll)
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
