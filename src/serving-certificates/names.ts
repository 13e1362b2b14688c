import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { addressText } from '../apiserver/certificate/ip-address.ts';

/** Every name and address of a certificate, as they stand in it. */
export const everyName = ({ dnsNames, addresses }: Certificate): readonly string[] => [
  ...dnsNames,
  ...addresses.map((address) => addressText(address)),
];

/** The names of a certificate in a sentence: `a, b and 9998 more`. */
export function certificateNames(certificate: Certificate | undefined): string {
  const names = certificate === undefined ? [] : everyName(certificate);
  if (names.length === 0) return 'no name at all';
  return names.length <= 4
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}
