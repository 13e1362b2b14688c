import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { addressText } from '../apiserver/go/ip-address.ts';
import { proxiedPortOf } from '../apiserver/routing/route.ts';
import type { Callout } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Container, Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { settings } from '../facts/workloads/leaders.ts';
import { configurationFile, configurationSettings } from '../facts/workloads/pod-context.ts';
import { knownPods } from '../facts/workloads/replicas.ts';
import { refOfPod } from '../facts/workloads/workloads.ts';
import { listed } from '../phrases/lists.ts';

/** All names and addresses of a certificate, unchanged. */
export const everyName = ({ dnsNames, addresses }: Certificate): readonly string[] => [
  ...dnsNames,
  ...addresses.map((address) => addressText(address)),
];

/** The names of a certificate in a sentence: `a, b and 9998 more`. */
export function certificateNames(certificate: Certificate | undefined): string {
  const names = certificate === undefined ? [] : everyName(certificate);
  return names.length === 0 ? 'no name' : listed(new Set(names), { most: 3 });
}

type NameFacts = Pick<Facts, 'pods' | 'services'>;

/**
 * Names of settings that name a Service or the host of a server (`WEBHOOK_NAME` of knative.dev/pkg webhook/env.go), and those
 * that name a program to others.
 */
const namesServer = /service|svc|host|dns|san|cert|tls|^webhook[-_]?name$/i;
const namesProgram = /otel|meta|leader|lease|app|account|apm|trac|^dd_/i;
/** Those of them that name a Service alone, from which the program derives the names of its certificate. */
const namesService = /^(?!.*secret).*(?:service|svc)|^webhook[-_]?name$/i;

/** True for the container with the port behind the Service, or the only one of the Pod. */
function isServing({ ports = [] }: Container, pod: Pod, callout: Callout, { services }: NameFacts): boolean {
  if (pod.spec.containers.length === 1) return true;
  const { service } = callout.client;
  const found = service && services.getIfKnown(keyOf(service));
  const port = found && proxiedPortOf(found, service.port);
  const target = port?.targetPort ?? port?.port;
  return ports.some(
    ({ name, containerPort }) => target !== undefined && [name, containerPort].includes(target),
  );
}

/**
 * Flags and environment variables of the webhook's Pod that contain a wrong name of the certificate. A name without a
 * dot may be that of a lease, a program or a workload: it must be in a setting of the server for names.
 */
export function nameSettings(
  callout: Callout,
  { dnsNames }: Pick<Certificate, 'dnsNames'>,
  facts: NameFacts,
): readonly Evidence[] {
  const [pod] = knownPods(callout, facts);
  if (pod === undefined) return [];
  const ofService = `.${callout.client.service?.namespace}.svc`;
  return pod.spec.containers.flatMap((container) =>
    settings(container).flatMap(([name, value = '']) => {
      // The name of the webhook's own Service is right: then the namespace is wrong.
      if (value === callout.client.service?.name) return [];
      const isMeant = namesServer.test(name) && !namesProgram.test(name);
      const isOfServer = isMeant && isServing(container, pod, callout, facts);
      const found = value
        .split(/[,\s]+/)
        .filter(
          (one) => dnsNames.includes(one) || (namesService.test(name) && dnsNames.includes(one + ofService)),
        );
      return found.some((one) => isOfServer || one.includes('.'))
        ? [{ object: refOfPod(pod), field: `spec.containers[${container.name}] ${name}`, value }]
        : [];
    }),
  );
}

/** The name of the ConfigMap with the file that a setting for the configuration of the Pods names; undefined if none does. */
export function configuringMap(callout: Callout, facts: Pick<Facts, 'pods'>): string | undefined {
  const [pod] = knownPods(callout, facts);
  for (const container of pod?.spec.containers ?? []) {
    const values = configurationSettings(container).join(' ');
    const found = configurationFile(pod as Pod, container.name, values)?.configMap;
    if (found !== undefined) return found;
  }
  return undefined;
}
