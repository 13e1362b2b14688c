import { nameOf } from '../../serving-certificates/ca-bundle.ts';
import type { PlacedFault } from '../../serving-certificates/certificate-faults.ts';
import { certificateFaultCheck } from './certificate-fault-check.ts';

const nameOfIssuer = ({ fault }: PlacedFault): string => {
  const issuer = fault.candidate ?? fault.certificate;
  return issuer === undefined ? 'its issuer' : nameOf(issuer);
};

export const caNotAllowedToSign = certificateFaultCheck({
  id: 'ca-not-allowed-to-sign',
  title: 'The authority may not sign certificates',
  explains: { 'ca-not-allowed': 1 },
  why: 'What signs a certificate has to be an authority: basic constraints with CA:TRUE, a key usage (if any) with certificate signing, and a path length that suffices. Otherwise its name and key are right and the call still ends in `x509: certificate signed by unknown authority (… parent certificate cannot sign this kind of certificate …)`.',
  advice:
    'Issue the authority anew as one (`isCA: true` with cert-manager, `-addext basicConstraints=critical,CA:TRUE` with openssl), then what it signs.',
  noRemedy: 'needs-its-authority',
  kinds: ['issuer-cannot-sign', 'not-an-authority', 'path-too-long', 'policies-do-not-fit'],
  text: '{what} is signed by {name}, which may not sign it: {words}',
  data: (first) => ({ name: nameOfIssuer(first) }),
});
