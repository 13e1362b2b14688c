import { certificateFaultCheck } from './certificate-fault-check.ts';

export const nameConstraintViolation = certificateFaultCheck({
  id: 'name-constraint-violation',
  title: 'The authority may not sign for this name',
  explains: { 'name-constraint': 1 },
  why: 'An authority with name constraints is good for the names that they permit, for the API server too. The call ends in `x509: a root or intermediate certificate is not authorized to sign for this name: …`.',
  advice: 'Issue the authority with constraints that permit `.svc` names, or sign with another one.',
  noRemedy: 'needs-its-authority',
  kinds: ['name-not-permitted'],
  text: '{what} has a name that its authority may not sign: {words}',
});
