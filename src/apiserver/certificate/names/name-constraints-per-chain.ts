import { firstResult } from '../../../basics/collections.ts';
import { addressText, type Network, networkText } from '../../go/ip-address.ts';
import { goQuote } from '../../go/quote.ts';
import type { CertificateUri } from '../../go/url.ts';
import type { Certificate, NameConstraints } from '../certificate.ts';
import { domainSearch, isDomain, search, sortAndPrune } from './domain-constraints.ts';
import { type Mailbox, parseMailbox } from './mailbox.ts';
import { inNetwork, uriHost } from './name-match.ts';

/** Returns the constraint that matches a name, as text; undefined if none matches. */
type Query<Name> = ((name: Name) => string | undefined) | undefined;

interface Constraints<Name> {
  readonly type: string;
  readonly permitted: Query<Name>;
  readonly excluded: Query<Name>;
}

interface Authority {
  readonly addresses: Constraints<Buffer>;
  readonly dns: Constraints<string>;
  readonly uris: Constraints<string>;
  readonly emails: Constraints<Mailbox>;
}

const compareNetworks = (a: Network, b: Network): number =>
  Buffer.compare(a.address, b.address) || Buffer.compare(a.mask, b.mask);

const lastOf = ({ address, mask }: Network): Buffer =>
  Buffer.from(address.map((octet, at) => octet | (~(mask[at] ?? 0) & 0xff)));

const containsNetwork = (outer: Network, inner: Network): boolean =>
  inNetwork(inner.address, outer) && inNetwork(lastOf(inner), outer);

function networkQuery(networks: readonly Network[]): Query<Buffer> {
  if (networks.length === 0) return undefined;
  const ofLength = (length: number) =>
    sortAndPrune(
      networks.filter(({ address }) => address.length === length),
      compareNetworks,
      containsNetwork,
    );
  const lists = new Map([4, 16].map((length) => [length, ofLength(length)]));
  const compare = ({ address }: Network, target: Buffer) => Buffer.compare(address, target);
  return (address) => {
    const list = lists.get(address.length) ?? [];
    const found = search(list, address, compare, (network, target) => inNetwork(target, network));
    return found === undefined ? undefined : networkText(found);
  };
}

const mailboxText = ({ local, domain }: Mailbox): string => `${local}@${domain}`;

/** The domain is compared in lower case. */
const lowered = ({ local, domain }: Mailbox): Mailbox => ({ local, domain: domain.toLowerCase() });

function emailQuery(constraints: readonly string[], permitted: boolean): Query<Mailbox> {
  if (constraints.length === 0) return undefined;
  const allConstraints = new Set(
    constraints
      .filter((constraint) => constraint.includes('@'))
      .map((constraint) => parseMailbox(constraint))
      .filter((mailbox) => mailbox !== undefined)
      .map((mailbox) => mailboxText(lowered(mailbox))),
  );
  const domains = domainSearch(
    constraints.filter((constraint) => !constraint.includes('@')),
    permitted,
  );
  return (mailbox) => {
    const text = mailboxText(mailbox);
    return allConstraints.has(text) ? text : domains?.(mailbox.domain);
  };
}

function authorityOf({ permitted, excluded }: NameConstraints): Authority {
  return {
    addresses: {
      type: 'IP address',
      permitted: networkQuery(permitted.addresses),
      excluded: networkQuery(excluded.addresses),
    },
    dns: {
      type: 'DNS name',
      permitted: domainSearch(permitted.dns, true),
      excluded: domainSearch(excluded.dns, false),
    },
    uris: {
      type: 'URI',
      permitted: domainSearch(permitted.uris, true),
      excluded: domainSearch(excluded.uris, false),
    },
    emails: {
      type: 'email address',
      permitted: emailQuery(permitted.emails, true),
      excluded: emailQuery(excluded.emails, false),
    },
  };
}

/** Permitted subtrees first, then the excluded ones (checkConstraints). */
function compare<Name>(
  { type, permitted, excluded }: Constraints<Name>,
  name: Name,
  shown: string,
): string | undefined {
  if (permitted !== undefined && permitted(name) === undefined) {
    return `${type} ${goQuote(shown)} is not permitted by any constraint`;
  }
  const constraint = excluded?.(name);
  if (constraint === undefined) return undefined;
  return `${type} ${goQuote(shown)} is excluded by constraint ${goQuote(constraint)}`;
}

interface Names {
  readonly addresses: readonly Buffer[];
  readonly dnsNames: readonly string[];
  readonly uris: readonly { readonly host: string; readonly text: string }[];
  readonly mailboxes: readonly Mailbox[];
}

function checkNames({ addresses, dns, uris, emails }: Authority, names: Names): string | undefined {
  const checks = [
    ...names.addresses.map((address) => () => compare(addresses, address, addressText(address))),
    ...names.dnsNames.map(
      (name) => () =>
        isDomain(name) ? compare(dns, name, name) : `x509: cannot parse dnsName ${goQuote(name)}`,
    ),
    ...names.uris.map(
      ({ host, text }) =>
        () =>
          isDomain(host)
            ? compare(uris, host, text)
            : `x509: internal error: URI SAN ${goQuote(text)} failed to parse`,
    ),
    ...names.mailboxes.map((mailbox) => () => compare(emails, mailbox, mailboxText(mailbox))),
  ];
  return firstResult(checks, (check) => check());
}

const tooManyColons = (host: string, why: string): string => `cannot parse URI host ${goQuote(host)}: ${why}`;

/** The host is in lower case if there is no port, as in Go 1.26. */
function uriOf(uri: CertificateUri) {
  const lower = { ...uri, host: uri.host.includes(':') ? uri.host : uri.host.toLowerCase() };
  const host = uriHost(lower, tooManyColons);
  return typeof host === 'object' ? host : { host, text: uri.text };
}

/** The names of one certificate, or Go's error if they cannot be compared. */
function namesOf({ addresses, dnsNames, uris, emails }: Certificate): Names | string {
  const comparedUris: { host: string; text: string }[] = [];
  for (const uri of uris.map(uriOf)) {
    if ('incomparable' in uri) return uri.incomparable;
    comparedUris.push(uri);
  }
  const mailboxes: Mailbox[] = [];
  for (const email of emails) {
    const mailbox = parseMailbox(email);
    if (mailbox === undefined) return `cannot parse rfc822Name ${goQuote(email)}`;
    mailboxes.push(lowered(mailbox));
  }
  return { addresses, dnsNames, uris: comparedUris, mailboxes };
}

/**
 * Go's error if name constraints do not permit a chain, from Go 1.26 on: addresses, then DNS names, URIs and
 * e-mail addresses (crypto/x509 checkChainConstraints).
 *
 * @param chain from the server's certificate to the anchor.
 */
export function constraintsOfChain(chain: readonly Certificate[]): string | undefined {
  const authorities = chain.map(({ nameConstraints }) => nameConstraints && authorityOf(nameConstraints));
  return firstResult(chain.entries(), ([at, certificate]) => {
    const above = authorities.slice(at + 1).filter((authority) => authority !== undefined);
    if (certificate.alternativeNames === undefined || above.length === 0) return undefined;
    const names = namesOf(certificate);
    return typeof names === 'string'
      ? names
      : firstResult(above, (authority) => checkNames(authority, names));
  });
}
