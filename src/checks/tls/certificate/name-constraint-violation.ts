import { certificateFaultCheck } from './certificate-fault-check.ts';

export const nameConstraintViolation = certificateFaultCheck({
  id: 'name-constraint-violation',
  title: 'CA may not sign for this name',
  why: 'A CA with name constraints is valid only for the names that they permit. The call fails with `x509: a root or intermediate certificate is not authorized to sign for this name: …`.',
  advice:
    '[end] Issue a CA certificate whose constraints permit `.svc` names, or sign with another CA; write that CA to `caBundle`: `kubectl edit {kind} {configuration}`. [end] Then issue the serving certificate. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
  noRemedy: 'needs-its-authority',
  references: [
    'https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.10',
    'https://cert-manager.io/docs/usage/certificate/#creating-certificate-with-name-constraints',
  ],
  kinds: ['name-not-permitted'],
  text: '{certificate} has a name that its CA may not sign: {error}',
});
