import { addressText, parseAddress, shortest } from '../../go/ip-address.ts';
import type { Certificate } from '../certificate.ts';
import type { GoRules } from '../go-rules.ts';

/** Why a certificate is not valid for a host. */
export interface WrongName {
  readonly kind: 'legacy-common-name' | 'name-mismatch';
  /** Go's error. */
  readonly text: string;
}

const label = /^[a-zA-Z0-9_][a-zA-Z0-9_-]*$/;

/** RFC 6125 with underscores (crypto/x509 validHostname). */
const areLabels = (text: string): boolean => text.split('.').every((part) => label.test(part));
const isHostname = (host: string): boolean => areLabels(host.replace(/\.$/, ''));
/** The same for a name in a certificate: `*` may be the first label, not the only one. */
const isNamePattern = (name: string): boolean => areLabels(name.replace(/^\*\./, ''));

const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

function matches(pattern: string, host: string): boolean {
  const patternLabels = lower(pattern).split('.');
  const hostLabels = lower(host.replace(/\.$/, '')).split('.');
  if (pattern === '' || hostLabels.join('.') === '' || patternLabels.length !== hostLabels.length)
    return false;
  return patternLabels.every((part, at) => part === hostLabels[at] || (at === 0 && part === '*'));
}

function isFor(name: string, host: string, hostIsValid: boolean): boolean {
  if (hostIsValid && isNamePattern(name)) return matches(name, host);
  return name !== '' && name !== '.' && host !== '' && host !== '.' && lower(name) === lower(host);
}

function mismatch(names: readonly string[], kind: string, host: string, rules: GoRules): WrongName {
  const refuse = (text: string): WrongName => ({ kind: 'name-mismatch', text });
  if (names.length >= 100 && rules.countsManyNames) {
    return refuse(`x509: certificate is valid for ${names.length} ${kind}, but none matched ${host}`);
  }
  const valid = names.join(', ');
  if (valid === '')
    return refuse(`x509: certificate is not valid for any names, but wanted to match ${host}`);
  return refuse(`x509: certificate is valid for ${valid}, not ${host}`);
}

/**
 * Checks the host name: addresses match IP SANs only, names match DNS SANs only (crypto/x509 VerifyHostname).
 * Returns undefined if the certificate is valid for the host.
 *
 * @param host a name, or an address with or without brackets.
 */
export function checkHost(certificate: Certificate, host: string, rules: GoRules): WrongName | undefined {
  const { dnsNames, addresses, alternativeNames, subject } = certificate;
  const bare = /^\[(.+)\]$/.exec(host)?.[1] ?? host;
  const address = parseAddress(bare);
  const wanted = address === undefined ? host : bare;
  const hostIsValid = isHostname(lower(host));
  const isRight =
    address === undefined
      ? dnsNames.some((name) => isFor(name, host, hostIsValid))
      : addresses.some((candidate) => shortest(candidate).equals(shortest(address)));
  if (isRight) return undefined;
  if (alternativeNames === undefined && matches(subject.commonName, wanted)) {
    const text = 'x509: certificate relies on legacy Common Name field, use SANs instead';
    return { kind: 'legacy-common-name', text };
  }
  if (address === undefined) return mismatch(dnsNames, 'names', host, rules);
  if (addresses.length > 0) return mismatch(addresses.map(addressText), 'IP SANs', wanted, rules);
  const text = `x509: cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`;
  return { kind: 'name-mismatch', text };
}
