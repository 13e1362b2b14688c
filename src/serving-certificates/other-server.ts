import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { type Callout, calloutId, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import { selectsPod } from '../facts/objects/label-selector.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Service } from '../facts/objects/service.ts';
import type { Facts } from '../facts/snapshot.ts';
import { allContainers } from '../facts/workloads/pod-context.ts';
import { plainHttpPorts } from '../facts/workloads/pod-ports.ts';
import { knownPods } from '../facts/workloads/replicas.ts';
import type { CertificateChain } from './chains.ts';

type ServerFacts = Pick<Facts, 'services' | 'pods' | 'probes'>;

/** The server that responds instead of the webhook's, if its certificate and objects show which one it is. */
export type OtherServer =
  | {
      /** `strange-pods`: only the webhook's Service selects its Pod. `same-pods`: its own Service also does. */
      readonly kind: 'strange-pods' | 'same-pods';
      /** `namespace/name` of the Service that the certificate is for. */
      readonly other: string;
    }
  | {
      readonly kind: 'other-container';
      /** The container that declares the tried port. */
      readonly container: string;
      readonly port: number;
      /** The container that declares another port, and that port. */
      readonly owner: string;
      readonly declared: number;
    };

/** The other Service for which a certificate is issued: `NAME.NAMESPACE.svc`. */
function serviceOf({ dnsNames }: Certificate, own: string, { services }: ServerFacts): Service | undefined {
  const keys = dnsNames.flatMap((name) => {
    const [, service, namespace] = /^([^.*]+)\.([^.]+)\.svc(?:\.|$)/.exec(name) ?? [];
    return namespace === undefined ? [] : [`${namespace}/${service}`];
  });
  if (keys.includes(own)) return undefined;
  return keys.flatMap((key) => services.getIfKnown(key) ?? [])[0];
}

/** The container with the tried port, and the only other one that declares a port for HTTPS. */
function otherContainer(pod: Pod, port: number): OtherServer | undefined {
  const declared = allContainers(pod).flatMap(({ name, ports = [] }) =>
    ports.map(({ containerPort }) => ({ owner: name, declared: containerPort })),
  );
  const container = declared.find((one) => one.declared === port)?.owner;
  const others = declared.filter(
    (one) => one.owner !== container && !plainHttpPorts(pod).includes(one.declared),
  );
  const [only] = others;
  return container === undefined || only === undefined || others.length > 1
    ? undefined
    : { kind: 'other-container', container, port, ...only };
}

/** Whose server presents a chain with the certificate of another name; undefined if objects do not show it. */
export function otherServer(
  callout: Callout,
  { source, pod: name }: CertificateChain,
  certificate: Certificate | undefined,
  facts: ServerFacts,
): OtherServer | undefined {
  const pod = knownPods(callout, facts).find(({ metadata }) => metadata.name === name);
  if (!isServiceBacked(callout) || pod === undefined || certificate === undefined || source !== 'served')
    return undefined;
  const own = keyOf(callout.client.service);
  const service = serviceOf(certificate, own, facts);
  if (service !== undefined) {
    const kind = selectsPod(service, pod.metadata) ? 'same-pods' : 'strange-pods';
    return { kind, other: keyOf(service.metadata) };
  }
  const port = facts.probes.getIfKnown(calloutId(callout))?.replicas.find((one) => one.pod === name)?.port;
  return port === undefined ? undefined : otherContainer(pod, port);
}
