import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateMalformed = certificateFaultCheck({
  id: 'serving-certificate-malformed',
  title: 'A certificate that the server presents cannot be read',
  explains: { 'certificate-malformed': 1 },
  why: 'The API server parses every certificate that is presented before it looks at anything else. One that its Go refuses, such as one with a negative serial number, ends the call.',
  advice: 'Issue it anew with a current tool.',
  noRemedy: 'needs-its-authority',
  kinds: ['malformed', 'no-certificate', 'signature-limit'],
  text: '{what} cannot be read: {words}',
});
