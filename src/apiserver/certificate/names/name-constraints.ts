import { firstResult } from '../../../basics/collections.ts';
import { remembered } from '../../../basics/derive.ts';
import { addressText, type Network, networkText, parseAddress } from '../../go/ip-address.ts';
import { goQuote } from '../../go/quote.ts';
import { parseUri } from '../../go/url.ts';
import type { AlternativeName, Certificate } from '../certificate.ts';
import type { GoRules } from '../go-rules.ts';
import { isDomain, reversedLabels } from './domain-name.ts';
import { type Mailbox, mailboxText, parseMailbox } from './mailbox.ts';

type Rules = Pick<GoRules, 'excludesWildcards' | 'nameConstraints'>;
type Constraint = string | Network;

/** A name of a certificate, as Go compares it with constraints: by its domain, its mailbox or its address. */
interface ComparedName {
  readonly type: string;
  readonly kind: 'dns' | 'emails' | 'uris' | 'addresses';
  readonly shown: string;
  /** Go's error for a malformed name. */
  readonly invalid?: string | undefined;
  /** Go's error if there are constraints for a name that has nothing to compare with them. */
  readonly incomparable?: string | undefined;
  readonly domain?: string;
  readonly mailbox?: string;
  readonly address?: Buffer;
}

/** The labels of a domain in lower case, the last first; a malformed one has none. */
const labelsOf = (domain: string): readonly string[] => reversedLabels(domain.toLowerCase()) ?? [];

/** Constraints by the last labels of their domain, with all and with the first missing, and by mailbox. */
interface ConstraintIndex {
  readonly domains: Map<string, string[]>;
  readonly parents: Map<string, string[]>;
  readonly mailboxes: Map<string, string[]>;
}

/** So that thousands of names and constraints are not compared in pairs. */
const indexOf = remembered((constraints: readonly Constraint[]): ConstraintIndex => {
  const index: ConstraintIndex = { domains: new Map(), parents: new Map(), mailboxes: new Map() };
  const add = (of: Map<string, string[]>, key: string, constraint: string) => {
    const known = of.get(key);
    if (known === undefined) of.set(key, [constraint]);
    else known.push(constraint);
  };
  for (const constraint of new Set(constraints)) {
    if (typeof constraint !== 'string') continue;
    const mailbox = constraint.includes('@') ? parseMailbox(constraint) : undefined;
    if (mailbox !== undefined) add(index.mailboxes, mailboxText(lowered(mailbox)), constraint);
    if (constraint.includes('@')) continue;
    const below = constraint.startsWith('.');
    const labels = reversedLabels((below ? constraint.slice(1) : constraint).toLowerCase());
    if (labels === undefined) continue;
    add(index.domains, labels.join('.'), constraint);
    if (!below) add(index.parents, labels.slice(0, -1).join('.'), constraint);
  }
  return index;
});

/**
 * The constraints whose subtree contains the domain, not in order: `.a.b` requires one more label (crypto/x509
 * matchDomainConstraint).
 *
 * @param covers an excluded subtree also contains a wildcard that matches its domain.
 */
function ofDomain(domain: string, { domains, parents }: ConstraintIndex, covers: boolean): readonly string[] {
  const labels = labelsOf(domain);
  const found = Array.from({ length: labels.length + 1 }, (_, count) =>
    (domains.get(labels.slice(0, count).join('.')) ?? []).filter(
      (constraint) => count < labels.length || !constraint.startsWith('.'),
    ),
  ).flat();
  if (!covers || !domain.startsWith('*') || labels.length < 2) return found;
  return [...found, ...(parents.get(labels.slice(0, -1).join('.')) ?? [])];
}

/** True if an address is in the network and of the same family (crypto/x509 matchIPConstraint). */
const inNetwork = (address: Buffer, { address: base, mask }: Network): boolean =>
  address.length === base.length &&
  address.every((octet, at) => (octet & (mask[at] ?? 0)) === ((base[at] ?? 0) & (mask[at] ?? 0)));

const lowered = ({ local, domain }: Mailbox): Mailbox => ({ local, domain: domain.toLowerCase() });

function email(text: string, isPerChain: boolean): ComparedName {
  const about = { type: 'email address', kind: 'emails' } as const;
  const mailbox = parseMailbox(text);
  if (mailbox === undefined) {
    const invalid = isPerChain
      ? `cannot parse rfc822Name ${goQuote(text)}`
      : 'x509: cannot parse rfc822Name {"" ""}';
    return { ...about, shown: text, invalid };
  }
  const own = mailboxText(lowered(mailbox));
  return { ...about, shown: isPerChain ? own : text, domain: mailbox.domain, mailbox: own };
}

const dnsName = (name: string): ComparedName => ({
  type: 'DNS name',
  kind: 'dns',
  shown: name,
  invalid: isDomain(name) ? undefined : `x509: cannot parse dnsName ${goQuote(name)}`,
  domain: name,
});

function uri(text: string, isPerChain: boolean): ComparedName {
  const about = { type: 'URI', kind: 'uris', shown: text } as const;
  const invalid = `x509: internal error: URI SAN ${goQuote(text)} failed to parse`;
  const parsed = parseUri(text);
  if ('refused' in parsed) return { ...about, invalid };
  const { host } = parsed;
  const cannot = (what: string) =>
    `URI with ${what} (${goQuote(text)}) cannot be matched against constraints`;
  if (host === '') return { ...about, incomparable: cannot('empty host') };
  const hasPort = host.includes(':') && !host.endsWith(']');
  const bare = hasPort ? host.replace(/:[^:]*$/, '') : host;
  if (hasPort && !bare.startsWith('[') && bare.includes(':')) {
    const why = `address ${host}: too many colons in address`;
    return { ...about, incomparable: isPerChain ? `cannot parse URI host ${goQuote(host)}: ${why}` : why };
  }
  if (bare.startsWith('[') || parseAddress(bare.replace(/%.+$/, '')) !== undefined)
    return { ...about, incomparable: cannot('IP') };
  const cannotParse = `x509: internal error: cannot parse domain ${goQuote(bare)}`;
  return {
    ...about,
    ...(!isDomain(bare) && (isPerChain ? { invalid } : { incomparable: cannotParse })),
    domain: bare,
  };
}

const ipAddress = (address: Buffer): ComparedName => ({
  type: 'IP address',
  kind: 'addresses',
  shown: addressText(address),
  address,
});

function comparedName({ type, bytes }: AlternativeName, isPerChain: boolean): readonly ComparedName[] {
  const text = bytes.toString('latin1');
  if (type === 1) return [email(text, isPerChain)];
  if (type === 2) return [dnsName(text)];
  if (type === 6) return [uri(text, isPerChain)];
  return type === 7 ? [ipAddress(bytes)] : [];
}

function constraintText(constraint: Constraint, isPerChain: boolean): string {
  if (typeof constraint !== 'string') return networkText(constraint);
  const mailbox = isPerChain && constraint.includes('@') ? parseMailbox(constraint) : undefined;
  return mailbox === undefined ? constraint : mailboxText(lowered(mailbox));
}

const size = (constraint: Constraint): number =>
  typeof constraint === 'string' ? constraint.length : Number(networkText(constraint).split('/')[1]);

/** The constraints whose subtree contains the name, not in order. */
function subtreesWith(
  { domain, mailbox, address }: ComparedName,
  constraints: readonly Constraint[],
  covers: boolean,
): readonly Constraint[] {
  if (constraints.length === 0) return [];
  if (address !== undefined)
    return constraints.filter((one) => typeof one !== 'string' && inNetwork(address, one));
  const index = indexOf(constraints);
  return [
    ...(domain === undefined ? [] : ofDomain(domain, index, covers)),
    ...(mailbox === undefined ? [] : (index.mailboxes.get(mailbox) ?? [])),
  ];
}

/** The constraint that Go names: the first; from 1.26 on the largest subtree, as those within it are left out. */
function namedConstraint(
  found: readonly Constraint[],
  all: readonly Constraint[],
  isPerChain: boolean,
): Constraint | undefined {
  if (found.length < 2) return found[0];
  const least = isPerChain ? Math.min(...found.map(size)) : undefined;
  const among = new Set(found.filter((one) => least === undefined || size(one) === least));
  return all.find((one) => among.has(one));
}

/** Go's error if the constraints of the CA exclude a name, or do not permit it. */
function compare(name: ComparedName, authority: Certificate, rules: Rules): string | undefined {
  const { type, kind, shown } = name;
  const isPerChain = rules.nameConstraints === 'per-chain';
  const { permitted, excluded } = authority.nameConstraints ?? {};
  const [allowed, denied]: readonly (readonly Constraint[])[] = [
    permitted?.[kind] ?? [],
    excluded?.[kind] ?? [],
  ] as const;
  if (name.incomparable !== undefined && allowed.length + denied.length > 0) return name.incomparable;
  const denying = subtreesWith(name, denied, isPerChain || rules.excludesWildcards);
  const first = namedConstraint(denying, denied, isPerChain);
  const isAllowed = allowed.length === 0 || subtreesWith(name, allowed, false).length > 0;
  const notAllowed = isAllowed ? undefined : `${type} ${goQuote(shown)} is not permitted by any constraint`;
  const isDenied =
    first === undefined
      ? undefined
      : `${type} ${goQuote(shown)} is excluded by constraint ${goQuote(constraintText(first, isPerChain))}`;
  return isPerChain ? (notAllowed ?? isDenied) : (isDenied ?? notAllowed);
}

/** Maximum number of comparisons that Go makes for one candidate. */
const mostComparisons = 250_000;

/**
 * Go's error if a CA's name constraints do not permit the names of the chain below it, up to Go 1.25. Names
 * are checked in the order of their extension (crypto/x509 isValid).
 *
 * @param chain from the server's certificate to the one that the CA signed.
 */
export function constraintsOfAuthority(
  authority: Certificate,
  chain: readonly Certificate[],
  rules: Rules,
): string | undefined {
  const { permitted, excluded } = authority.nameConstraints ?? {};
  if (permitted === undefined || excluded === undefined) return undefined;
  const names = chain
    .flatMap(({ alternativeNames = [] }) => alternativeNames)
    .flatMap((one) => comparedName(one, false));
  let comparisons = 0;
  return firstResult(names, (name) => {
    if (name.invalid !== undefined) return name.invalid;
    comparisons += permitted[name.kind].length + excluded[name.kind].length;
    if (comparisons > mostComparisons) return 'x509: unknown error';
    const error = compare(name, authority, rules);
    return (
      error && `x509: a root or intermediate certificate is not authorized to sign for this name: ${error}`
    );
  });
}

/** The order in which Go checks the names of a certificate from 1.26 on: addresses, DNS names, URIs, e-mail. */
const kinds = ['addresses', 'dns', 'uris', 'emails'] as const;

/**
 * Go's error if name constraints do not permit a chain, from Go 1.26 on (crypto/x509 checkChainConstraints).
 *
 * @param chain from the server's certificate to the anchor.
 */
export const constraintsOfChain = (chain: readonly Certificate[], rules: Rules): string | undefined =>
  firstResult(chain.entries(), ([at, { alternativeNames = [] }]) => {
    const above = chain.slice(at + 1).filter(({ nameConstraints }) => nameConstraints !== undefined);
    if (above.length === 0) return undefined;
    const names = alternativeNames
      .flatMap((one) => comparedName(one, true))
      .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
    return (
      firstResult(names, ({ incomparable }) => incomparable) ??
      firstResult(names, ({ kind, invalid }) => (kind === 'emails' ? invalid : undefined)) ??
      firstResult(above, (authority) =>
        firstResult(names, (name) => name.invalid ?? compare(name, authority, rules)),
      )
    );
  });
