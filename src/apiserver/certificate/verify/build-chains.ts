import { goQuote } from '../../go/quote.ts';
import type { Certificate } from '../certificate.ts';
import { type ChainCheck, chainFailure, type Failure } from './chain-check.ts';
import { type BadSignature, checkSignature } from './check-signature.ts';
import { checkAuthority } from './check-validity.ts';

/** Chains from the server's certificate to an anchor, or why there is none. */
export type ChainsResult =
  | { readonly chains: readonly (readonly Certificate[])[] }
  | { readonly failure: Failure };

/** Maximum number of signatures that Go checks for one connection. */
const signatureLimit = 100;

interface Hint {
  readonly kind: Failure['kind'];
  readonly text: string;
  readonly candidate: Certificate;
}

/** Same name, key and alternative names: a cross-signed copy would cause a loop (alreadyInChain). */
function isAlreadyIn(chain: readonly Certificate[], candidate: Certificate): boolean {
  for (const { rawSubject, rawPublicKey, alternativeNamesValue: names } of chain) {
    if (!rawSubject.equals(candidate.rawSubject) || !rawPublicKey.equals(candidate.rawPublicKey)) continue;
    const others = candidate.alternativeNamesValue;
    if (names === undefined || others === undefined) return names === others;
    if (names.equals(others)) return true;
  }
  return false;
}

function nameOf({ subject, serial }: Certificate): string {
  if (subject.commonName !== '') return subject.commonName;
  return subject.organizations[0] ?? `serial:${serial}`;
}

function unknownAuthority(certificate: Certificate, hint: Hint | undefined): Failure {
  const text = 'x509: certificate signed by unknown authority';
  if (hint === undefined) return chainFailure('unknown-authority', certificate, text);
  const { kind, candidate } = hint;
  const because = `possibly because of ${goQuote(hint.text)} while trying to verify candidate authority certificate`;
  return {
    kind,
    tolerance: 'unknown-authority',
    certificate,
    candidate,
    text: `${text} (${because} ${goQuote(nameOf(candidate))})`,
  };
}

const hintOf = ({ kind, text }: BadSignature | Failure, candidate: Certificate): Hint => ({
  kind,
  text,
  candidate,
});

const budgetSpent = (certificate: Certificate): Failure =>
  chainFailure(
    'signature-limit',
    certificate,
    'x509: signature check attempts limit reached while verifying certificate chain',
  );

/**
 * Builds every chain that extends this one (crypto/x509 buildChains): anchors before intermediates, depth
 * first. As in Go, the last candidate with the right key determines the error. If no candidate has the right
 * key, the first rejected one is the hint in the error.
 *
 * @param chain from the server's certificate to the one whose issuer is searched for.
 */
export function buildChains(
  chain: readonly Certificate[],
  check: ChainCheck,
  budget = { spent: 0 },
): ChainsResult {
  const current = chain.at(-1) as Certificate;
  const chains: (readonly Certificate[])[] = [];
  let failed: Failure | undefined;
  let hint: Hint | undefined;

  const consider = (candidate: Certificate, isAnchor: boolean): void => {
    budget.spent += 1;
    if (budget.spent > signatureLimit) {
      failed = budgetSpent(current);
      return;
    }
    if (candidate.publicKey === undefined || isAlreadyIn(chain, candidate)) return;
    const bad = checkSignature(current, candidate, check.rules);
    if (bad !== undefined) {
      hint ??= hintOf(bad, candidate);
      return;
    }
    failed = checkAuthority(candidate, isAnchor, chain, check);
    if (failed !== undefined) {
      hint ??= hintOf(failed, candidate);
      return;
    }
    if (isAnchor) {
      chains.push([...chain, candidate]);
      return;
    }
    const built = buildChains([...chain, candidate], check, budget);
    if ('chains' in built) chains.push(...built.chains);
    else failed = built.failure;
  };

  const candidates = [
    ...(check.anchors?.candidatesFor(current) ?? []).map((candidate) => [candidate, true] as const),
    ...check.intermediates.candidatesFor(current).map((candidate) => [candidate, false] as const),
  ];
  for (const [candidate, isAnchor] of candidates) {
    consider(candidate, isAnchor);
    if (failed?.kind === 'signature-limit') break;
  }
  if (chains.length > 0) return { chains };
  if (failed !== undefined) return { failure: failed };
  if (check.tolerated.has(current, 'unknown-authority')) return { chains: [chain] };
  return { failure: unknownAuthority(current, hint) };
}
