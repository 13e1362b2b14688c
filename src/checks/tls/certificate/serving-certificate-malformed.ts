import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateMalformed = certificateFaultCheck({
  id: 'serving-certificate-malformed',
  title: 'Served certificate cannot be parsed',
  why: 'The API server parses every certificate in the chain before it verifies anything. A certificate that Go cannot parse, such as one with a negative serial number, fails the call.',
  advice:
    '[end] Issue the certificate again with a current tool. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
  noRemedy: 'needs-its-authority',
  references: ['https://pkg.go.dev/crypto/x509#ParseCertificate'],
  kinds: ['malformed', 'no-certificate', 'signature-limit'],
  text: '{certificate} cannot be read: {error}',
});
