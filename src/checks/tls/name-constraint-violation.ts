import { extents, ofKind, toldFault } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const nameConstraintViolation = defineCheck({
  meta: {
    id: 'name-constraint-violation',
    link: 'tls',
    title: 'The authority may not sign for this name',
    severity: 'error',
    consequence: 'failing',
    explains: { 'name-constraint': 1 },
    why: 'An authority with name constraints is good for the names that they permit, for the API server too. The call ends in `x509: a root or intermediate certificate is not authorized to sign for this name: …`.',
    advice: 'Issue the authority with constraints that permit `.svc` names, or sign with another one.',
    noRemedy: 'needs-its-authority',
    messages: extents('{what} has a name that its authority may not sign: {words}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('name-not-permitted'));
    if (told === undefined) return undefined;
    return told.tell(
      find(told.extent, { what: told.what, words: told.first.fault.text }, told.evidence, told.confidence),
    );
  },
});
