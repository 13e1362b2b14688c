import { rfc3339 } from '../../../basics/time.ts';
import type { Certificate } from '../certificate.ts';
import { constraintsOfAuthority } from '../names/name-constraints.ts';
import { type ChainCheck, chainFailure, type Failure } from './chain-check.ts';

function checkTime(certificate: Certificate, { now, tolerated }: ChainCheck): Failure | undefined {
  const { notBefore, notAfter } = certificate;
  const words = `x509: certificate has expired or is not yet valid: current time ${rfc3339(now)} is`;
  if (now.getTime() < notBefore.at && !tolerated.has(certificate, 'not-yet-valid')) {
    return chainFailure('not-yet-valid', certificate, `${words} before ${notBefore.text}`);
  }
  if (now.getTime() > notAfter.at && !tolerated.has(certificate, 'expired')) {
    return chainFailure('expired', certificate, `${words} after ${notAfter.text}`);
  }
  return undefined;
}

/** Checks that apply to every certificate of a chain. */
export function checkValidity(certificate: Certificate, check: ChainCheck): Failure | undefined {
  const strange =
    certificate.unhandledCritical.length > 0 &&
    !check.tolerated.has(certificate, 'unhandled-critical-extension');
  if (strange)
    return chainFailure('unhandled-critical-extension', certificate, 'x509: unhandled critical extension');
  return checkTime(certificate, check);
}

/**
 * Checks that apply to the next CA certificate of a chain, without its signature (crypto/x509 isValid).
 *
 * @param chain from the server's certificate to the one that this CA signed.
 */
export function checkAuthority(
  authority: Certificate,
  isAnchor: boolean,
  chain: readonly Certificate[],
  check: ChainCheck,
): Failure | undefined {
  const invalid = checkValidity(authority, check);
  if (invalid !== undefined) return invalid;
  const { rules, tolerated } = check;
  if (rules.nameConstraints === 'per-authority' && !tolerated.has(authority, 'name-not-permitted')) {
    const text = constraintsOfAuthority(authority, chain, rules);
    if (text !== undefined) return chainFailure('name-not-permitted', authority, text);
  }
  const { basicConstraints } = authority;
  if (!isAnchor && basicConstraints?.isCa !== true && !tolerated.has(authority, 'not-an-authority')) {
    const text = 'x509: certificate is not authorized to sign other certificates';
    return chainFailure('not-an-authority', authority, text);
  }
  const longest = basicConstraints?.maxPathLength ?? Number.POSITIVE_INFINITY;
  if (chain.length - 1 > longest && !tolerated.has(authority, 'path-too-long')) {
    return chainFailure(
      'path-too-long',
      authority,
      'x509: too many intermediates for path length constraint',
    );
  }
  return undefined;
}
