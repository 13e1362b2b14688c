import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateWrongUsage = certificateFaultCheck({
  id: 'serving-certificate-wrong-usage',
  title: 'The serving certificate is not one for servers',
  explains: { 'wrong-usage': 1 },
  why: 'An extended key usage without server authentication, on the certificate or on an authority of its chain, ends the call in `x509: certificate specifies an incompatible key usage`. No extended key usage at all means any.',
  advice: 'Issue it with the usage `server auth`.',
  noRemedy: 'needs-its-authority',
  kinds: ['wrong-usage'],
  text: '{what}{which} is not one for servers: {words}',
});
