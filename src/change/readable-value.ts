import { X509Certificate } from 'node:crypto';

/** `CN=policy-ca, expires 2027-01-31, SHA-256 5E:0C:…` for each certificate of a PEM; undefined if one cannot be read. */
function certificatesText(pem: string): string | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  try {
    return blocks
      .map((block) => {
        const { subject, validTo, fingerprint256 } = new X509Certificate(block);
        const name = (subject ?? '').replaceAll('\n', ', ') || 'no subject';
        const expires = new Date(validTo).toISOString().slice(0, 10);
        return `${name}, expires ${expires}, SHA-256 ${fingerprint256.slice(0, 23)}:…`;
      })
      .join(' + ');
  } catch {
    return undefined;
  }
}

/** A caBundle as its certificates: 1 500 characters of base64 say nothing. The steps of the change have them. */
export const readable = (key: unknown, value: unknown): unknown =>
  (key === 'caBundle' && typeof value === 'string'
    ? certificatesText(Buffer.from(value, 'base64').toString('latin1'))
    : undefined) || value;
