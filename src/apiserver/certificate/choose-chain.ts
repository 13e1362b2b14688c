import type { Certificate } from './certificate.ts';
import { type ChainCheck, chainFailure, type Failure } from './chain-check.ts';
import { constraintsOfChain } from './name-constraints-per-chain.ts';
import { policiesFit } from './policies.ts';

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

/** The number of rejected chains by reason. */
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

/**
 * The first chain that policies, usages and (from Go 1.26 on) name constraints permit (crypto/x509 Verify).
 */
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
      perChain && !tolerated.has(leaf, 'name-not-permitted') ? constraintsOfChain(chain) : undefined;
    if (problem === undefined) return { chain };
    names ??= problem;
  }
  return { failure: whyNone({ policies, usages, names }, leaf, perChain) };
}
