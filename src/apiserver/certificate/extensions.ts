import type { AlternativeName, Extensions, NameConstraints, Subtrees } from './certificate.ts';
import {
  atEnd,
  type Cursor,
  comesNext,
  constructedTag,
  contextTag,
  enter,
  Malformed,
  read,
  readAny,
  startOf,
  tags,
} from './der.ts';
import { readBitString, readBoolean, readNumber, readObjectIdentifier } from './der-values.ts';
import { isDomain } from './domain-labels.ts';
import { goQuote } from './go-quote.ts';
import type { GoRules } from './go-rules.ts';
import { type CertificateUri, parseUri } from './go-url.ts';
import { type Network, parseAddress } from './ip-address.ts';
import { parseMailbox } from './mailbox.ts';

export interface Extension {
  readonly id: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

type Draft = { -readonly [Key in keyof Extensions]: Extensions[Key] };

const isAscii = (bytes: Buffer): boolean => bytes.every((octet) => octet < 0x80);

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

/** True: nothing in it that Go understands. */
function alternativeNames(draft: Draft, value: Buffer): boolean {
  const list = enter(startOf(value), tags.sequence, 'x509: invalid subject alternative names');
  const names: Names = { dnsNames: [], emails: [], uris: [], addresses: [] };
  const all: AlternativeName[] = [];
  while (!atEnd(list)) {
    const element = readAny(list);
    if (element === undefined) throw new Malformed('x509: invalid subject alternative name');
    const name = { type: element.tag ^ 0x80, bytes: element.content };
    all.push(name);
    addName(name, names);
  }
  Object.assign(draft, names, { alternativeNames: all, alternativeNamesValue: value });
  return Object.values(names).every((found: readonly unknown[]) => found.length === 0);
}

/** Leading ones, then zeros only. */
const isPrefix = (mask: Buffer): boolean =>
  /^1*0*$/.test([...mask].map((octet) => octet.toString(2).padStart(8, '0')).join(''));

function network(bytes: Buffer): Network {
  const half = bytes.length / 2;
  if (half !== 4 && half !== 16) {
    throw new Malformed(`x509: IP constraint contained value of length ${bytes.length}`);
  }
  const mask = bytes.subarray(half);
  if (!isPrefix(mask)) {
    throw new Malformed(`x509: IP constraint contained invalid mask ${mask.toString('hex')}`);
  }
  return { address: bytes.subarray(0, half), mask };
}

function constraintText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  const shown = goQuote(bytes.toString('utf8'));
  throw new Malformed(`x509: invalid constraint value: x509: ${shown} cannot be encoded as an IA5String`);
}

function domain(text: string, valid: boolean, kind: string): string {
  if (valid) return text;
  throw new Malformed(`x509: failed to parse ${kind} constraint ${goQuote(text)}`);
}

function uriDomain(text: string): string {
  if (parseAddress(text) !== undefined) {
    throw new Malformed(`x509: failed to parse URI constraint ${goQuote(text)}: cannot be IP address`);
  }
  return domain(text, isDomain(text, true), 'URI');
}

/** @param odd told of a kind of name that Go does not compare. */
function subtreesOf(cursor: Cursor | undefined, odd: () => void): Subtrees {
  const found = {
    dns: [] as string[],
    addresses: [] as Network[],
    emails: [] as string[],
    uris: [] as string[],
  };
  const malformed = 'x509: invalid NameConstraints extension';
  while (cursor !== undefined && !atEnd(cursor)) {
    const base = readAny(enter(cursor, tags.sequence, malformed));
    if (base === undefined) throw new Malformed(malformed);
    const { tag, content } = base;
    if (tag === contextTag(2)) {
      const text = constraintText(content);
      found.dns.push(domain(text, isDomain(text, true), 'dnsName'));
    } else if (tag === contextTag(7)) {
      found.addresses.push(network(content));
    } else if (tag === contextTag(1)) {
      const text = constraintText(content);
      const valid = text.includes('@') ? parseMailbox(text) !== undefined : isDomain(text, true);
      found.emails.push(domain(text, valid, 'rfc822Name'));
    } else if (tag === contextTag(6)) {
      found.uris.push(uriDomain(constraintText(content)));
    } else {
      odd();
    }
  }
  return found;
}

/** True: it constrains a kind of name that Go does not compare (crypto/x509 parseNameConstraintsExtension). */
function nameConstraints(draft: Draft, value: Buffer): boolean {
  const malformed = 'x509: invalid NameConstraints extension';
  const outer = startOf(value);
  const inside = enter(outer, tags.sequence, malformed);
  const part = (n: number): Cursor | undefined =>
    comesNext(inside, constructedTag(n)) ? enter(inside, constructedTag(n), malformed) : undefined;
  const [permitted, excluded] = [part(0), part(1)];
  if (!atEnd(outer) || !atEnd(inside)) throw new Malformed(malformed);
  if ((permitted?.bytes.length ?? 0) + (excluded?.bytes.length ?? 0) === 0) {
    throw new Malformed('x509: empty name constraints extension');
  }
  let unhandled = false;
  const odd = () => {
    unhandled = true;
  };
  const constraints: NameConstraints = {
    permitted: subtreesOf(permitted, odd),
    excluded: subtreesOf(excluded, odd),
  };
  draft.nameConstraints = constraints;
  return unhandled;
}

function basicConstraints(draft: Draft, value: Buffer): void {
  const malformed = 'x509: invalid basic constraints';
  const inside = enter(startOf(value), tags.sequence, malformed);
  const isCa = comesNext(inside, tags.boolean) && readBoolean(inside, malformed);
  const maxPathLength = comesNext(inside, tags.integer) ? readNumber(inside, malformed) : undefined;
  if (maxPathLength !== undefined && maxPathLength < 0) throw new Malformed(malformed);
  draft.basicConstraints = { isCa, maxPathLength };
}

function authorityKeyId(draft: Draft, { value, critical }: Extension): void {
  if (critical) throw new Malformed('x509: authority key identifier incorrectly marked critical');
  const malformed = 'x509: invalid authority key identifier';
  const inside = enter(startOf(value), tags.sequence, malformed);
  if (comesNext(inside, contextTag(0))) draft.authorityKeyId = read(inside, contextTag(0), malformed);
}

function subjectKeyId(draft: Draft, { value, critical }: Extension): void {
  if (critical) throw new Malformed('x509: subject key identifier incorrectly marked critical');
  draft.subjectKeyId = read(startOf(value), tags.octetString, 'x509: invalid subject key identifier');
}

function extendedKeyUsages(draft: Draft, value: Buffer): void {
  const malformed = 'x509: invalid extended key usages';
  const list = enter(startOf(value), tags.sequence, malformed);
  const usages: string[] = [];
  while (!atEnd(list)) usages.push(readObjectIdentifier(list, malformed));
  draft.extendedKeyUsages = usages;
}

function policies(draft: Draft, value: Buffer): void {
  const malformed = 'x509: invalid certificate policies';
  const list = enter(startOf(value), tags.sequence, malformed);
  const found: string[] = [];
  while (!atEnd(list)) {
    found.push(readObjectIdentifier(enter(list, tags.sequence, malformed), malformed));
    if (new Set(found).size < found.length) throw new Malformed(malformed);
  }
  draft.policies = found;
}

function policyMappings(draft: Draft, value: Buffer): void {
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

function policyConstraints(draft: Draft, value: Buffer): void {
  const malformed = 'x509: invalid policy constraints extension';
  const inside = enter(startOf(value), tags.sequence, malformed);
  const part = (n: number): number | undefined =>
    comesNext(inside, contextTag(n)) ? readNumber(inside, malformed, contextTag(n)) : undefined;
  const [explicit, mapping] = [part(0), part(1)];
  if (explicit !== undefined) draft.requireExplicitPolicy = explicit;
  if (mapping !== undefined) draft.inhibitPolicyMapping = mapping;
}

function crlDistributionPoints(value: Buffer): void {
  const list = enter(startOf(value), tags.sequence, 'x509: invalid CRL distribution points');
  const malformed = 'x509: invalid CRL distribution point';
  while (!atEnd(list)) {
    const point = enter(list, tags.sequence, malformed);
    if (!comesNext(point, constructedTag(0))) continue;
    const names = enter(enter(point, constructedTag(0), malformed), constructedTag(0), malformed);
    while (comesNext(names, contextTag(6))) read(names, contextTag(6), malformed);
  }
}

function authorityInformation({ value, critical }: Extension): void {
  if (critical) throw new Malformed('x509: authority info access incorrectly marked critical');
  const malformed = 'x509: invalid authority info access';
  const list = enter(startOf(value), tags.sequence, malformed);
  while (!atEnd(list)) {
    const description = enter(list, tags.sequence, malformed);
    readObjectIdentifier(description, malformed);
    if (comesNext(description, contextTag(6))) read(description, contextTag(6), malformed);
  }
}

/** Understood by the Go versions that compare policies. */
const policyExtensions = ['2.5.29.33', '2.5.29.36', '2.5.29.54'];

/** Reads one extension into the draft; true: Go does not understand it. */
function handle(draft: Draft, extension: Extension, rules: GoRules): boolean {
  const { id, value } = extension;
  if (policyExtensions.includes(id) && !rules.policies) return true;
  switch (id) {
    case '2.5.29.15':
      draft.keyUsage = readBitString(startOf(value), 'x509: invalid key usage');
      return false;
    case '2.5.29.19':
      basicConstraints(draft, value);
      return false;
    case '2.5.29.17':
      return alternativeNames(draft, value);
    case '2.5.29.30':
      return nameConstraints(draft, value);
    case '2.5.29.31':
      crlDistributionPoints(value);
      return false;
    case '2.5.29.35':
      authorityKeyId(draft, extension);
      return false;
    case '2.5.29.36':
      policyConstraints(draft, value);
      return false;
    case '2.5.29.37':
      extendedKeyUsages(draft, value);
      return false;
    case '2.5.29.14':
      subjectKeyId(draft, extension);
      return false;
    case '2.5.29.32':
      policies(draft, value);
      return false;
    case '2.5.29.33':
      policyMappings(draft, value);
      return false;
    case '2.5.29.54':
      draft.inhibitAnyPolicy = readNumber(startOf(value), 'x509: invalid inhibit any policy extension');
      return false;
    case '1.3.6.1.5.5.7.1.1':
      authorityInformation(extension);
      return false;
    default:
      return true;
  }
}

/** What the extensions say, read in their order (crypto/x509 processExtensions). */
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
    if (handle(draft, extension, rules) && extension.critical) unhandledCritical.push(extension.id);
  }
  return draft;
}
