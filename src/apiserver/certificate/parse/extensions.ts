import { goQuote } from '../../go/quote.ts';
import { type CertificateUri, parseUri } from '../../go/url.ts';
import type { AlternativeName, Extensions } from '../certificate.ts';
import {
  atEnd,
  constructedTag,
  contentOf,
  contextTag,
  enter,
  isNext,
  Malformed,
  readAny,
  readDer,
  startOf,
  tags,
} from '../der/der.ts';
import { isAscii, readBitString, readBoolean, readNumber, readObjectIdentifier } from '../der/values.ts';
import type { GoRules } from '../go-rules.ts';
import { isDomain } from '../names/domain-name.ts';
import { readNameConstraints } from './read-name-constraints.ts';

/** An extension as encoded in a certificate. */
export interface Extension {
  readonly id: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

type Draft = { -readonly [Key in keyof Extensions]: Extensions[Key] };

function basicConstraints(draft: Draft, { value }: Extension): void {
  const malformed = 'x509: invalid basic constraints';
  const inside = enter(startOf(value), tags.sequence, malformed);
  const isCa = isNext(inside, tags.boolean) && readBoolean(inside, malformed);
  const maxPathLength = isNext(inside, tags.integer) ? readNumber(inside, malformed) : undefined;
  if (maxPathLength !== undefined && maxPathLength < 0) throw new Malformed(malformed);
  draft.basicConstraints = { isCa, maxPathLength };
}

function authorityKeyId(draft: Draft, { value, critical }: Extension): void {
  if (critical) throw new Malformed('x509: authority key identifier incorrectly marked critical');
  const malformed = 'x509: invalid authority key identifier';
  const inside = enter(startOf(value), tags.sequence, malformed);
  if (isNext(inside, contextTag(0))) draft.authorityKeyId = readDer(inside, contextTag(0), malformed);
}

function subjectKeyId(draft: Draft, { value, critical }: Extension): void {
  if (critical) throw new Malformed('x509: subject key identifier incorrectly marked critical');
  draft.subjectKeyId = readDer(startOf(value), tags.octetString, 'x509: invalid subject key identifier');
}

function extendedKeyUsages(draft: Draft, { value }: Extension): void {
  const malformed = 'x509: invalid extended key usages';
  const list = enter(startOf(value), tags.sequence, malformed);
  const usages: string[] = [];
  while (!atEnd(list)) usages.push(readObjectIdentifier(list, malformed));
  draft.extendedKeyUsages = usages;
}

function crlDistributionPoints(_draft: Draft, { value }: Extension): void {
  const list = enter(startOf(value), tags.sequence, 'x509: invalid CRL distribution points');
  const malformed = 'x509: invalid CRL distribution point';
  while (!atEnd(list)) {
    const point = enter(list, tags.sequence, malformed);
    if (!isNext(point, constructedTag(0))) continue;
    const names = enter(enter(point, constructedTag(0), malformed), constructedTag(0), malformed);
    while (isNext(names, contextTag(6))) readDer(names, contextTag(6), malformed);
  }
}

function authorityInformation(_draft: Draft, { value, critical }: Extension): void {
  if (critical) throw new Malformed('x509: authority info access incorrectly marked critical');
  const malformed = 'x509: invalid authority info access';
  const list = enter(startOf(value), tags.sequence, malformed);
  while (!atEnd(list)) {
    const description = enter(list, tags.sequence, malformed);
    readObjectIdentifier(description, malformed);
    if (isNext(description, contextTag(6))) readDer(description, contextTag(6), malformed);
  }
}

/** Supported by the Go versions that check policies. */
const policyExtensions = ['2.5.29.33', '2.5.29.36', '2.5.29.54'];

function policies(draft: Draft, { value }: Extension): void {
  const malformed = 'x509: invalid certificate policies';
  const list = enter(startOf(value), tags.sequence, malformed);
  const found = new Set<string>();
  while (!atEnd(list)) {
    const policy = readObjectIdentifier(enter(list, tags.sequence, malformed), malformed);
    if (found.has(policy)) throw new Malformed(malformed);
    found.add(policy);
  }
  draft.policies = [...found];
}

/** Parses policyMappings: policies of the issuer and their equivalents for the subject. */
function policyMappings(draft: Draft, { value }: Extension): void {
  const malformed = 'x509: invalid policy mappings extension';
  const list = enter(startOf(value), tags.sequence, malformed);
  const found: { issuer: string; subject: string }[] = [];
  while (!atEnd(list)) {
    const pair = enter(list, tags.sequence, malformed);
    const issuer = readObjectIdentifier(pair, malformed);
    found.push({ issuer, subject: readObjectIdentifier(pair, malformed) });
  }
  draft.policyMappings = found;
}

/** Parses policyConstraints: certificates until a policy is required, and until mapping is inhibited. */
function policyConstraints(draft: Draft, { value }: Extension): void {
  const malformed = 'x509: invalid policy constraints extension';
  const inside = enter(startOf(value), tags.sequence, malformed);
  const part = (n: number): number | undefined =>
    isNext(inside, contextTag(n)) ? readNumber(inside, malformed, contextTag(n)) : undefined;
  const [explicit, mapping] = [part(0), part(1)];
  if (explicit !== undefined) draft.requireExplicitPolicy = explicit;
  if (mapping !== undefined) draft.inhibitPolicyMapping = mapping;
}

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

/** Parses subjectAltName (crypto/x509 parseSANExtension); returns true if Go supports none of its names. */
function alternativeNames(draft: Draft, { value }: Extension): boolean {
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
  Object.assign(draft, { ...names, alternativeNames: all, alternativeNamesValue: value });
  return !Object.values(names).some(({ length }) => length > 0);
}

/** Parses name constraints; returns true if Go does not support all of them. */
function nameConstraints(draft: Draft, { value }: Extension): boolean {
  const found = readNameConstraints(value);
  draft.nameConstraints = found.nameConstraints;
  return !found.isUnderstood;
}

/** Reads an extension into the draft, by its identifier; returns true if Go does not support it as it is. */
const readers = new Map<string, (draft: Draft, extension: Extension) => unknown>([
  ['2.5.29.14', subjectKeyId],
  [
    '2.5.29.15',
    (draft, { value }) => {
      draft.keyUsage = readBitString(startOf(value), 'x509: invalid key usage');
    },
  ],
  ['2.5.29.17', alternativeNames],
  ['2.5.29.19', basicConstraints],
  ['2.5.29.30', nameConstraints],
  ['2.5.29.31', crlDistributionPoints],
  ['2.5.29.32', policies],
  ['2.5.29.33', policyMappings],
  ['2.5.29.35', authorityKeyId],
  ['2.5.29.36', policyConstraints],
  ['2.5.29.37', extendedKeyUsages],
  [
    '2.5.29.54',
    (draft, { value }) => {
      draft.inhibitAnyPolicy = readNumber(startOf(value), 'x509: invalid inhibit any policy extension');
    },
  ],
  ['1.3.6.1.5.5.7.1.1', authorityInformation],
]);

/** Parses the extensions in their order (crypto/x509 processExtensions). */
export function readExtensions(extensions: readonly Extension[], rules: GoRules): Extensions {
  const unhandledCritical: string[] = [];
  const draft: Draft = {
    dnsNames: [],
    emails: [],
    uris: [],
    addresses: [],
    extendedKeyUsages: [],
    policies: [],
    policyMappings: [],
    unhandledCritical,
  };
  for (const extension of extensions) {
    const { id, critical } = extension;
    const read = policyExtensions.includes(id) && !rules.policies ? undefined : readers.get(id);
    const isUnsupported = read === undefined || read(draft, extension) === true;
    if (isUnsupported && critical) unhandledCritical.push(id);
  }
  return draft;
}
