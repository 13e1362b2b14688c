import type { AlternativeName, Extensions } from './certificate.ts';
import { atEnd, contentOf, enter, Malformed, readAny, startOf, tags } from './der.ts';
import { isAscii } from './der-values.ts';
import { isDomain } from './domain-constraints.ts';
import { goQuote } from './go-quote.ts';
import { type CertificateUri, parseUri } from './go-url.ts';

type ReadNames = Pick<
  Extensions,
  'dnsNames' | 'emails' | 'uris' | 'addresses' | 'alternativeNames' | 'alternativeNamesValue'
>;

function readUri(text: string): CertificateUri {
  const uri = parseUri(text);
  if ('refused' in uri) throw new Malformed(`x509: cannot parse URI ${goQuote(text)}: ${uri.refused}`);
  if (uri.host !== '' && !isDomain(uri.host)) {
    throw new Malformed(`x509: cannot parse URI ${goQuote(text)}: invalid domain`);
  }
  return uri;
}

function ascii(bytes: Buffer, form: string): string {
  if (!isAscii(bytes)) throw new Malformed(`x509: SAN ${form} is malformed`);
  return bytes.toString('latin1');
}

function address(bytes: Buffer): Buffer {
  if (bytes.length === 4 || bytes.length === 16) return bytes;
  throw new Malformed(`x509: cannot parse IP address of length ${bytes.length}`);
}

interface Names {
  readonly dnsNames: string[];
  readonly emails: string[];
  readonly uris: CertificateUri[];
  readonly addresses: Buffer[];
}

function addName({ type, bytes }: AlternativeName, names: Names): void {
  if (type === 1) names.emails.push(ascii(bytes, 'rfc822Name'));
  if (type === 2) names.dnsNames.push(ascii(bytes, 'dNSName'));
  if (type === 6) names.uris.push(readUri(ascii(bytes, 'uniformResourceIdentifier')));
  if (type === 7) names.addresses.push(address(bytes));
}

/** Parses subjectAltName; throws Malformed (crypto/x509 parseSANExtension). */
export function readAlternativeNames(value: Buffer): ReadNames {
  const list = enter(startOf(value), tags.sequence, 'x509: invalid subject alternative names');
  const names: Names = { dnsNames: [], emails: [], uris: [], addresses: [] };
  const all: AlternativeName[] = [];
  while (!atEnd(list)) {
    const element = readAny(list);
    if (element === undefined) throw new Malformed('x509: invalid subject alternative name');
    const name = { type: element.tag ^ 0x80, bytes: contentOf(element) };
    all.push(name);
    addName(name, names);
  }
  return { ...names, alternativeNames: all, alternativeNamesValue: value };
}
