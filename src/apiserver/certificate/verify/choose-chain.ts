import { groupBy } from '../../../basics/collections.ts';
import { type Certificate, isSelfIssued } from '../certificate.ts';
import { constraintsOfChain } from '../names/name-constraints.ts';
import { type ChainCheck, chainFailure, type Failure } from './chain-check.ts';

/** The valid policies at one certificate, each with the policies that it stands for in the next one. */
type Policies = Map<string, readonly string[]>;

const anyPolicy = '2.5.29.32.0';

/** RFC 9618 6.1.3 (d): the valid policies at a certificate. `anyCounts`: its anyPolicy is not inhibited. */
function policiesAt(above: Policies, policies: readonly string[], anyCounts: boolean): Policies {
  const expected = new Set([...above.values()].flat());
  const named = policies.filter(
    (policy) => policy !== anyPolicy && (expected.has(policy) || above.has(anyPolicy)),
  );
  const others = policies.includes(anyPolicy) && anyCounts ? expected : [];
  return new Map([...named, ...others].map((policy) => [policy, [policy]]));
}

/** RFC 9618 6.1.4 (b): changes the expected policies; returns false for a mapping from or to any policy. */
function map(valid: Policies, { policyMappings }: Certificate, allowed: boolean): boolean {
  if (!allowed) {
    for (const { issuer } of policyMappings) valid.delete(issuer);
    return true;
  }
  if (policyMappings.some(({ issuer, subject }) => issuer === anyPolicy || subject === anyPolicy))
    return false;
  for (const [issuer, mappings] of groupBy(policyMappings, (mapping) => mapping.issuer))
    if (valid.has(issuer) || valid.has(anyPolicy))
      valid.set(
        issuer,
        mappings.map(({ subject }) => subject),
      );
  return true;
}

/** The number of certificates that may follow before a policy rule applies. */
interface Countdown {
  explicitPolicy: number;
  policyMapping: number;
  inhibitAny: number;
}

const lowest = (limit: number | undefined, count: number): number =>
  limit !== undefined && limit >= 0 ? Math.min(limit, count) : count;

function countDown(left: Countdown, certificate: Certificate, selfIssued: boolean): void {
  const one = selfIssued ? 0 : 1;
  left.explicitPolicy = lowest(certificate.requireExplicitPolicy, Math.max(0, left.explicitPolicy - one));
  left.policyMapping = lowest(certificate.inhibitPolicyMapping, Math.max(0, left.policyMapping - one));
  left.inhibitAny = lowest(certificate.inhibitAnyPolicy, Math.max(0, left.inhibitAny - one));
}

/**
 * True if the certificate policies of a chain are valid, with any policy accepted (RFC 9618; crypto/x509
 * policiesValid, from Go 1.24 on): then only whether a policy is left at the end counts, and no graph is needed.
 *
 * @param chain from the server's certificate to the anchor.
 */
function policiesFit(chain: readonly Certificate[]): boolean {
  const path = chain.slice(0, -1).reverse();
  const leaf = chain[0];
  if (leaf === undefined || path.length === 0) return true;
  const all = path.length + 1;
  const left: Countdown = { explicitPolicy: all, policyMapping: all, inhibitAny: all };
  let valid: Policies | undefined = new Map([[anyPolicy, [anyPolicy]]]);
  for (const [at, certificate] of path.entries()) {
    const selfIssued = isSelfIssued(certificate);
    const isLast = at === path.length - 1;
    if (certificate.policies.length === 0) valid = undefined;
    if (valid === undefined && left.explicitPolicy === 0) return false;
    if (valid !== undefined) {
      valid = policiesAt(valid, certificate.policies, left.inhibitAny > 0 || (!isLast && selfIssued));
      if (!isLast && !map(valid, certificate, left.policyMapping > 0)) return false;
    }
    if (!isLast) countDown(left, certificate, selfIssued);
  }
  const needed = leaf.requireExplicitPolicy === 0 || left.explicitPolicy <= 1;
  return !needed || (valid !== undefined && valid.size > 0);
}

const serverAuth = '1.3.6.1.5.5.7.3.1';
const any = '2.5.29.37.0';

/**
 * True if every certificate with extended key usages lists server authentication or any usage (crypto/x509
 * checkChainForKeyUsage).
 */
const maySignServers = (chain: readonly Certificate[]): boolean =>
  chain.every(
    ({ extendedKeyUsages: usages }) =>
      usages.length === 0 || usages.includes(serverAuth) || usages.includes(any),
  );

type Chain = readonly Certificate[];

const wrongUsage = 'x509: certificate specifies an incompatible key usage';

interface RejectedChains {
  readonly policies: number;
  readonly usages: number;
  /** The name constraint error of the first one. */
  readonly names: string | undefined;
}

function whyNone({ policies, usages, names }: RejectedChains, leaf: Certificate, perChain: boolean): Failure {
  if (names !== undefined) {
    const words = 'x509: a root or intermediate certificate is not authorized to sign for this name';
    return chainFailure('name-not-permitted', leaf, `${words}: ${names}`);
  }
  if (policies === 0) return chainFailure('wrong-usage', leaf, wrongUsage);
  const what = perChain ? 'candidate chains' : 'chains';
  const details = [
    ...(usages > 0 ? [`${usages} ${what} with incompatible key usage`] : []),
    `${policies} ${what} with invalid policies`,
  ];
  const all = usages === 0 && !perChain ? 'all candidate chains have invalid policies' : details.join(', ');
  return chainFailure('policies-do-not-fit', leaf, `x509: no valid chains built: ${all}`);
}

/** The first chain that policies, usages and (from Go 1.26) name constraints permit (crypto/x509 Verify). */
export function chooseChain(
  chains: readonly Chain[],
  check: ChainCheck,
): { readonly chain: Chain } | { readonly failure: Failure } {
  const { rules, tolerated } = check;
  const leaf = chains[0]?.[0] as Certificate;
  const perChain = rules.nameConstraints === 'per-chain';
  let [policies, usages] = [0, 0];
  let names: string | undefined;
  for (const chain of chains) {
    if (rules.policies && !tolerated.has(leaf, 'policies-do-not-fit') && !policiesFit(chain)) {
      policies += 1;
      continue;
    }
    if (!tolerated.has(leaf, 'wrong-usage') && !maySignServers(chain)) {
      usages += 1;
      continue;
    }
    const problem =
      perChain && !tolerated.has(leaf, 'name-not-permitted') ? constraintsOfChain(chain, rules) : undefined;
    if (problem === undefined) return { chain };
    names ??= problem;
  }
  return { failure: whyNone({ policies, usages, names }, leaf, perChain) };
}
