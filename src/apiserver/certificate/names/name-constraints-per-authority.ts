import { firstResult } from '../../../basics/collections.ts';
import { addressText, type Network, networkText } from '../../go/ip-address.ts';
import { goQuote } from '../../go/quote.ts';
import { parseUri } from '../../go/url.ts';
import type { AlternativeName, Certificate } from '../certificate.ts';
import type { GoRules } from '../go-rules.ts';
import { isDomain } from './domain-constraints.ts';
import { parseMailbox } from './mailbox.ts';
import { type Incomparable, inDomain, inNetwork, uriHost } from './name-match.ts';

const notAuthorized = (why: string): string =>
  `x509: a root or intermediate certificate is not authorized to sign for this name: ${why}`;

/** Maximum number of comparisons that Go makes for one candidate. */
const limit = 250_000;

interface Count {
  made: number;
  readonly excludesWildcards: boolean;
}

interface Compared<Constraint> {
  readonly type: string;
  readonly name: string;
  readonly permitted: readonly Constraint[];
  readonly excluded: readonly Constraint[];
  readonly show: (constraint: Constraint) => string;
  readonly match: (constraint: Constraint, excluded: boolean) => boolean | Incomparable;
}

/** Excluded subtrees first, then the permitted ones (checkNameConstraints). */
function compare<Constraint>(names: Compared<Constraint>, count: Count): string | undefined {
  const { type, name, permitted, excluded, show, match } = names;
  count.made += excluded.length;
  if (count.made > limit) return 'x509: unknown error';
  for (const constraint of excluded) {
    const result = match(constraint, count.excludesWildcards);
    if (typeof result === 'object') return notAuthorized(result.incomparable);
    if (!result) continue;
    return notAuthorized(`${type} ${goQuote(name)} is excluded by constraint ${goQuote(show(constraint))}`);
  }
  count.made += permitted.length;
  if (count.made > limit) return 'x509: unknown error';
  for (const constraint of permitted) {
    const result = match(constraint, false);
    if (typeof result === 'object') return notAuthorized(result.incomparable);
    if (result) return undefined;
  }
  return permitted.length === 0
    ? undefined
    : notAuthorized(`${type} ${goQuote(name)} is not permitted by any constraint`);
}

const itself = (text: string): string => text;

function checkEmail(name: string, authority: Certificate, count: Count): string | undefined {
  const mailbox = parseMailbox(name);
  if (mailbox === undefined) return 'x509: cannot parse rfc822Name {"" ""}';
  const match = (constraint: string, excluded: boolean): boolean | Incomparable => {
    if (!constraint.includes('@')) return inDomain(mailbox.domain, constraint, excluded);
    const wanted = parseMailbox(constraint);
    return wanted?.local === mailbox.local && wanted.domain.toLowerCase() === mailbox.domain.toLowerCase();
  };
  const { permitted, excluded } = subtrees(authority, 'emails');
  return compare({ type: 'email address', name, permitted, excluded, show: itself, match }, count);
}

function checkDns(name: string, authority: Certificate, count: Count): string | undefined {
  if (!isDomain(name)) return `x509: cannot parse dnsName ${goQuote(name)}`;
  const match = (constraint: string, excluded: boolean) => inDomain(name, constraint, excluded);
  const { permitted, excluded } = subtrees(authority, 'dns');
  return compare({ type: 'DNS name', name, permitted, excluded, show: itself, match }, count);
}

function checkUri(name: string, authority: Certificate, count: Count): string | undefined {
  const uri = parseUri(name);
  if ('refused' in uri) return `x509: internal error: URI SAN ${goQuote(name)} failed to parse`;
  const host = uriHost(uri, (_, why) => why);
  const match = (constraint: string, excluded: boolean) =>
    typeof host === 'object' ? host : inDomain(host, constraint, excluded);
  const { permitted, excluded } = subtrees(authority, 'uris');
  return compare({ type: 'URI', name, permitted, excluded, show: itself, match }, count);
}

function checkAddress(address: Buffer, authority: Certificate, count: Count): string | undefined {
  const match = (constraint: Network) => inNetwork(address, constraint);
  const { permitted, excluded } = subtrees(authority, 'addresses');
  const name = addressText(address);
  return compare({ type: 'IP address', name, permitted, excluded, show: networkText, match }, count);
}

function subtrees<Kind extends 'dns' | 'emails' | 'uris' | 'addresses'>(authority: Certificate, kind: Kind) {
  const { permitted, excluded } = authority.nameConstraints ?? {};
  return { permitted: permitted?.[kind] ?? [], excluded: excluded?.[kind] ?? [] } as {
    readonly permitted: readonly (Kind extends 'addresses' ? Network : string)[];
    readonly excluded: readonly (Kind extends 'addresses' ? Network : string)[];
  };
}

function checkName(
  { type, bytes }: AlternativeName,
  authority: Certificate,
  count: Count,
): string | undefined {
  const text = bytes.toString('latin1');
  switch (type) {
    case 1:
      return checkEmail(text, authority, count);
    case 2:
      return checkDns(text, authority, count);
    case 6:
      return checkUri(text, authority, count);
    case 7:
      return checkAddress(bytes, authority, count);
    default:
      return undefined;
  }
}

/**
 * Go's error if a CA's name constraints do not permit the names of the chain below it, up to Go 1.25. Names
 * are checked in the order of their extension (crypto/x509 isValid).
 *
 * @param chain from the server's certificate to the one that the CA signed.
 */
export function constraintsOfAuthority(
  authority: Certificate,
  chain: readonly Certificate[],
  { excludesWildcards }: Pick<GoRules, 'excludesWildcards'>,
): string | undefined {
  if (authority.nameConstraints === undefined) return undefined;
  const count = { made: 0, excludesWildcards };
  const names = chain.flatMap(({ alternativeNames = [] }) => alternativeNames);
  return firstResult(names, (name) => checkName(name, authority, count));
}
