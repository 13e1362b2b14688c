import { certificateFaultCheck } from './certificate-fault-check.ts';

export const unhandledCriticalExtension = certificateFaultCheck({
  id: 'unhandled-critical-extension',
  title: 'Certificate has an unsupported critical extension',
  why: 'A client must reject a certificate with a critical extension that it does not support. The call fails with `x509: unhandled critical extension`.',
  advice:
    '[end] Issue the certificate that the message names without the extension, or with the extension not marked critical. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
  noRemedy: 'needs-its-authority',
  references: ['https://pkg.go.dev/crypto/x509#UnhandledCriticalExtension'],
  kinds: ['unhandled-critical-extension'],
  text: '{certificate}{position} has a critical extension that the API server does not support: {extensions}',
  data: ({ fault }) => ({
    extensions: fault.certificate?.unhandledCritical.join(', ') || 'one of the standard ones',
  }),
});
