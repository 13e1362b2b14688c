import type { Extensions } from './certificate.ts';
import { atEnd, contextTag, enter, isNext, Malformed, startOf, tags } from './der.ts';
import { readNumber, readObjectIdentifier } from './der-values.ts';

/** Parses certificatePolicies. */
export function readPolicies(value: Buffer): Pick<Extensions, 'policies'> {
  const malformed = 'x509: invalid certificate policies';
  const list = enter(startOf(value), tags.sequence, malformed);
  const found = new Set<string>();
  while (!atEnd(list)) {
    const policy = readObjectIdentifier(enter(list, tags.sequence, malformed), malformed);
    if (found.has(policy)) throw new Malformed(malformed);
    found.add(policy);
  }
  return { policies: [...found] };
}

/** Parses policyMappings: policies of the issuer and their equivalents for the subject. */
export function readPolicyMappings(value: Buffer): Pick<Extensions, 'policyMappings'> {
  const malformed = 'x509: invalid policy mappings extension';
  const list = enter(startOf(value), tags.sequence, malformed);
  const found: { issuer: string; subject: string }[] = [];
  while (!atEnd(list)) {
    const pair = enter(list, tags.sequence, malformed);
    const issuer = readObjectIdentifier(pair, malformed);
    found.push({ issuer, subject: readObjectIdentifier(pair, malformed) });
  }
  return { policyMappings: found };
}

/**
 * Parses policyConstraints: how many certificates may follow before a policy is required, and before mapping
 * is inhibited.
 */
export function readPolicyConstraints(
  value: Buffer,
): Pick<Extensions, 'requireExplicitPolicy' | 'inhibitPolicyMapping'> {
  const malformed = 'x509: invalid policy constraints extension';
  const inside = enter(startOf(value), tags.sequence, malformed);
  const part = (n: number): number | undefined =>
    isNext(inside, contextTag(n)) ? readNumber(inside, malformed, contextTag(n)) : undefined;
  const [explicit, mapping] = [part(0), part(1)];
  return {
    ...(explicit !== undefined && { requireExplicitPolicy: explicit }),
    ...(mapping !== undefined && { inhibitPolicyMapping: mapping }),
  };
}
