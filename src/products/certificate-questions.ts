import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Pod } from '../facts/objects/pod.ts';
import { requestedInjector } from './ca-injectors.ts';
import { servingMaterial } from './serving-material.ts';

/** The objects to read to find how a callout's certificates are maintained. */
export interface CertificateQuestions {
  /** Secrets, `namespace/name`. */
  readonly secrets: readonly string[];
  /** ConfigMaps, `namespace/name`. */
  readonly configMaps: readonly string[];
  /** Certificates of cert-manager, `namespace/name`, whose Secrets must be read too. */
  readonly certificates: readonly string[];
  /** Namespaces whose Certificates can be for one of the Secrets. */
  readonly certificatesIn: readonly string[];
  /** Namespaces with the Lease of a CA injector's leader. */
  readonly leasesIn: readonly string[];
}

const isName = (value: string): boolean => /^[^/\s]+\/[^/\s]+$/.test(value);

/** @param port the Pods' port behind the Service's, or its name. */
export function certificateQuestions(
  callout: Callout,
  pods: readonly Pod[],
  port: number | string | undefined,
): CertificateQuestions {
  const requested = requestedInjector(callout.metadata);
  const target = requested !== undefined && isName(requested.value) ? requested.value : undefined;
  const named = (kind: string): readonly string[] =>
    target !== undefined && requested?.injector.names === kind ? [target] : [];
  const { namespace } = callout.client.service ?? {};
  const material = isServiceBacked(callout) ? servingMaterial(callout, pods, port) : undefined;
  const keysOf = (names: readonly string[] = []) => names.map((name) => keyOf({ namespace, name }));
  const secrets = keysOf(material?.secrets);
  const certificates = named('Certificate');
  return {
    secrets: [...secrets, ...named('Secret')],
    configMaps: keysOf(material?.configMaps),
    certificates,
    certificatesIn: [...secrets, ...certificates].map((key) => key.split('/', 1)[0] ?? ''),
    leasesIn: requested === undefined ? [] : [requested.injector.lease.namespace],
  };
}
