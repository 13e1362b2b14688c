import { X509Certificate } from 'node:crypto';
import { NotDoneHere } from './not-done-here.ts';

const seconds = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z');

function outOfTime(certificate: X509Certificate, now: Date): string | undefined {
  const { validFromDate, validToDate } = certificate;
  const what = `x509: certificate has expired or is not yet valid: current time ${seconds(now)}`;
  if (now < validFromDate) return `${what} is before ${seconds(validFromDate)}`;
  return now > validToDate ? `${what} is after ${seconds(validToDate)}` : undefined;
}

function wrongName(leaf: X509Certificate, serverName: string): string | undefined {
  if (leaf.checkHost(serverName, { subject: 'never', partialWildcards: false }) !== undefined)
    return undefined;
  const names = (leaf.subjectAltName ?? '').split(', ').filter((name) => name.startsWith('DNS:'));
  if (names.length === 0) throw new NotDoneHere('a certificate without names');
  return `x509: certificate is valid for ${names.map((name) => name.slice(4)).join(', ')}, not ${serverName}`;
}

function notSigned(leaf: X509Certificate, authority: X509Certificate, now: Date): string | undefined {
  const unknown = 'x509: certificate signed by unknown authority';
  if (leaf.issuer !== authority.subject) return unknown;
  if (leaf.verify(authority.publicKey)) return outOfTime(authority, now);
  if (authority.publicKey.asymmetricKeyType !== 'ed25519') throw new NotDoneHere('keys of this kind');
  const name = /^CN=(.*)$/.exec(authority.subject)?.[1] ?? '';
  return `${unknown} (possibly because of "x509: Ed25519 verification failure" while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
}

/**
 * What Go has against a leaf that one authority of the caBundle should have signed, in its order: time, name, signer.
 * Undefined: nothing. Longer chains are not looked at here.
 */
export function verifyLeaf(
  presented: Uint8Array,
  caBundle: string | undefined,
  serverName: string,
  now: Date,
): string | undefined {
  const bundle = Buffer.from(caBundle ?? '', 'base64').toString();
  if (bundle.split('-----BEGIN').length !== 2)
    throw new NotDoneHere('a caBundle of other than one certificate');
  const leaf = new X509Certificate(presented);
  const fault =
    outOfTime(leaf, now) ?? wrongName(leaf, serverName) ?? notSigned(leaf, new X509Certificate(bundle), now);
  return fault === undefined ? undefined : `tls: failed to verify certificate: ${fault}`;
}
