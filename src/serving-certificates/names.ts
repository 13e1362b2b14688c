import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { addressText } from '../apiserver/certificate/ip-address.ts';
import { listed } from '../phrases/lists.ts';

/** All names and addresses of a certificate, unchanged. */
export const everyName = ({ dnsNames, addresses }: Certificate): readonly string[] => [
  ...dnsNames,
  ...addresses.map((address) => addressText(address)),
];

/** The names of a certificate in a sentence: `a, b and 9998 more`. */
export function certificateNames(certificate: Certificate | undefined): string {
  const names = certificate === undefined ? [] : everyName(certificate);
  return names.length === 0 ? 'no name' : listed(names, { most: 3 });
}
