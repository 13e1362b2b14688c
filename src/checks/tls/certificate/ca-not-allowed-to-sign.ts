import type { PlacedFault } from '../../../serving-certificates/certificate-faults.ts';
import { certificateName } from '../../../serving-certificates/chains.ts';
import { certificateFaultCheck } from './certificate-fault-check.ts';

const nameOfIssuer = ({ fault }: PlacedFault): string => {
  const issuer = fault.candidate ?? fault.certificate;
  return issuer === undefined ? 'its issuer' : certificateName(issuer);
};

export const caNotAllowedToSign = certificateFaultCheck({
  id: 'ca-not-allowed-to-sign',
  title: 'CA is not allowed to sign certificates',
  why: 'A signing certificate must be a CA: basic constraints with CA:TRUE, a key usage (if present) with certificate signing, and a sufficient path length. Otherwise the call fails with `x509: certificate signed by unknown authority (… parent certificate cannot sign this kind of certificate …)`, although name and key match.',
  advice:
    '[end] Issue the CA certificate again as a CA (`isCA: true` with cert-manager, `-addext basicConstraints=critical,CA:TRUE` with openssl), and write it to `caBundle`: `kubectl edit {kind} {configuration}`. [end] Then issue the certificates that it signs. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
  noRemedy: 'needs-its-authority',
  references: [
    'https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.9',
    'https://cert-manager.io/docs/configuration/ca/#important-information',
  ],
  kinds: ['issuer-cannot-sign', 'not-an-authority', 'path-too-long', 'policies-do-not-fit'],
  text: '{certificate} is signed by {name}, which may not sign it: {error}',
  data: (first) => ({ name: nameOfIssuer(first) }),
});
