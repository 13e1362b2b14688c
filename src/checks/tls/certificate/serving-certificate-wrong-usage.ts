import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateWrongUsage = certificateFaultCheck({
  id: 'serving-certificate-wrong-usage',
  title: 'Serving certificate does not allow server authentication',
  why: 'If the certificate, or a CA in its chain, has an extended key usage without server authentication, the call fails with `x509: certificate specifies an incompatible key usage`. A certificate without extended key usage allows any.',
  advice:
    '[end] Issue the certificate that the message names with the usage `server auth` (openssl: `extendedKeyUsage=serverAuth`). [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
  noRemedy: 'needs-its-authority',
  references: [
    'https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.12',
    'https://cert-manager.io/docs/usage/certificate/#key-usages',
    '/docs/tasks/administer-cluster/certificates/#openssl',
  ],
  kinds: ['wrong-usage'],
  text: '{certificate}{position} does not allow server authentication: {error}',
});
