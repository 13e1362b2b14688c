import { type Network, parseAddress } from '../../go/ip-address.ts';
import { goQuote } from '../../go/quote.ts';
import type { CertificateUri } from '../../go/url.ts';
import { reversedLabels } from './domain-constraints.ts';

/** Go's error for a name that cannot be compared. */
export interface Incomparable {
  readonly incomparable: string;
}

const cannotParse = (domain: string): Incomparable => ({
  incomparable: `x509: internal error: cannot parse domain ${goQuote(domain)}`,
});

const sameLabel = (a: string | undefined, b: string | undefined): boolean =>
  a?.toLowerCase() === b?.toLowerCase();

/**
 * True if a domain is in a constraint's subtree: `.a.b` requires one more label, and an excluded subtree also
 * matches a wildcard that covers it (crypto/x509 up to Go 1.25, matchDomainConstraint).
 */
export function inDomain(domain: string, constraint: string, excluded: boolean): boolean | Incomparable {
  if (constraint === '') return true;
  const labels = reversedLabels(domain);
  if (labels === undefined) return cannotParse(domain);
  const below = constraint.startsWith('.');
  const base = below ? constraint.slice(1) : constraint;
  const wanted = reversedLabels(base);
  if (wanted === undefined) return cannotParse(base);
  if (labels.length < wanted.length || (below && labels.length === wanted.length)) return false;
  const covers =
    excluded &&
    domain.startsWith('*') &&
    labels.length > 1 &&
    wanted.length > 1 &&
    labels.length === wanted.length;
  const compared = covers ? wanted.slice(0, -1) : wanted;
  return compared.every((label, at) => sameLabel(label, labels[at]));
}

/** True if an address is in the network and of the same family (crypto/x509 matchIPConstraint). */
export const inNetwork = (address: Buffer, { address: base, mask }: Network): boolean =>
  address.length === base.length &&
  address.every((octet, at) => (octet & (mask[at] ?? 0)) === ((base[at] ?? 0) & (mask[at] ?? 0)));

/** The host of a URI without its port, or Go's error if constraints do not apply to it. */
export function uriHost(
  { host, text }: CertificateUri,
  tooMany: (host: string, why: string) => string,
): string | Incomparable {
  const shown = goQuote(text);
  if (host === '')
    return { incomparable: `URI with empty host (${shown}) cannot be matched against constraints` };
  const hasPort = host.includes(':') && !host.endsWith(']');
  const bare = hasPort ? host.replace(/:[^:]*$/, '') : host;
  if (hasPort && !bare.startsWith('[') && bare.includes(':')) {
    return { incomparable: tooMany(host, `address ${host}: too many colons in address`) };
  }
  const isAddress = bare.startsWith('[') || parseAddress(bare.replace(/%.+$/, '')) !== undefined;
  if (!isAddress) return bare;
  return { incomparable: `URI with IP (${shown}) cannot be matched against constraints` };
}
