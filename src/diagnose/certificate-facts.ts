import { createHash } from 'node:crypto';
import type { Certificate } from '../apiserver/certificate/certificate.ts';
import type { DistinguishedName } from '../apiserver/certificate/distinguished-name.ts';
import { everyName } from '../serving-certificates/names.ts';
import type { CertificateFacts } from './certificate-report.ts';

const nameText = ({ commonName, organizations }: DistinguishedName): string =>
  [...(commonName === '' ? [] : [`CN=${commonName}`]), ...organizations.map((name) => `O=${name}`)].join(',');

function serialText(serial: bigint): string {
  const digits = (serial < 0n ? -serial : serial).toString(16).toUpperCase();
  return `${serial < 0n ? '-' : ''}${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

const fingerprint = (der: Buffer): string =>
  (createHash('sha256').update(der).digest('hex').match(/../g) ?? []).join(':');

export const certificateFacts = (certificate: Certificate): CertificateFacts => ({
  subject: nameText(certificate.subject),
  issuer: nameText(certificate.issuer),
  names: everyName(certificate),
  notBefore: certificate.notBefore.text,
  notAfter: certificate.notAfter.text,
  serial: serialText(certificate.serial),
  sha256: fingerprint(certificate.raw),
});
