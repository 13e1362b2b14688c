import { nameOf } from '../../serving-certificates/ca-bundle.ts';
import {
  extents,
  ofKind,
  type PlacedFault,
  toldFault,
} from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

const nameOfIssuer = ({ fault }: PlacedFault): string => {
  const issuer = fault.candidate ?? fault.certificate;
  return issuer === undefined ? 'its issuer' : nameOf(issuer);
};

export const caNotAllowedToSign = defineCheck({
  meta: {
    id: 'ca-not-allowed-to-sign',
    link: 'tls',
    title: 'The authority may not sign certificates',
    severity: 'error',
    consequence: 'failing',
    explains: { 'ca-not-allowed': 1 },
    why: 'What signs a certificate has to be an authority: basic constraints with CA:TRUE, a key usage (if any) with certificate signing, and a path length that suffices. Otherwise its name and key are right and the call still ends in `x509: certificate signed by unknown authority (… parent certificate cannot sign this kind of certificate …)`.',
    advice:
      'Issue the authority anew as one (`isCA: true` with cert-manager, `-addext basicConstraints=critical,CA:TRUE` with openssl), then what it signs.',
    noRemedy: 'needs-its-authority',
    messages: extents('{what} is signed by {name}, which may not sign it: {words}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(
      callout,
      facts,
      ofKind('issuer-cannot-sign', 'not-an-authority', 'path-too-long', 'policies-do-not-fit'),
    );
    if (told === undefined) return undefined;
    return told.tell(
      find(
        told.extent,
        { what: told.what, name: nameOfIssuer(told.first), words: told.first.fault.text },
        told.evidence,
        told.confidence,
      ),
    );
  },
});
