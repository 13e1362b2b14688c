import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { addressText } from '../apiserver/go/ip-address.ts';
import type { Callout } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import type { Pod } from '../facts/objects/pod.ts';
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

/** Flags and environment variables of the webhook's container that contain a wrong name of the certificate. */
export function nameSettings(
  callout: Callout,
  { dnsNames }: Pick<Certificate, 'dnsNames'>,
  facts: Pick<Facts, 'pods'>,
): readonly Evidence[] {
  const [pod] = knownPods(callout, facts);
  return (pod?.spec.containers ?? []).flatMap((container) =>
    settings(container).flatMap(([name, value = '']) =>
      // The name of the webhook's own Service is right: then the namespace is wrong.
      value !== callout.client.service?.name && value.split(/[,\s]+/).some((one) => dnsNames.includes(one))
        ? [{ object: refOfPod(pod as Pod), field: `spec.containers[${container.name}] ${name}`, value }]
        : [],
    ),
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
