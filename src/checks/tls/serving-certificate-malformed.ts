import { extents, ofKind, toldFault } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const servingCertificateMalformed = defineCheck({
  meta: {
    id: 'serving-certificate-malformed',
    link: 'tls',
    title: 'A certificate that the server presents cannot be read',
    severity: 'error',
    consequence: 'failing',
    explains: { 'certificate-malformed': 1 },
    why: 'The API server parses every certificate that is presented before it looks at anything else. One that its Go refuses, such as one with a negative serial number, ends the call.',
    advice: 'Issue it anew with a current tool.',
    noRemedy: 'needs-its-authority',
    messages: extents('{what} cannot be read: {words}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('malformed', 'no-certificate', 'signature-limit'));
    if (told === undefined) return undefined;
    return told.tell(
      find(told.extent, { what: told.what, words: told.first.fault.text }, told.evidence, told.confidence),
    );
  },
});
