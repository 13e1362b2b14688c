import { certificateFaultCheck } from './certificate-fault-check.ts';

export const unhandledCriticalExtension = certificateFaultCheck({
  id: 'unhandled-critical-extension',
  title: 'A certificate has a critical extension that Go does not understand',
  explains: { 'critical-extension': 1 },
  why: 'An extension that is marked critical has to be understood by whoever verifies the certificate. The call ends in `x509: unhandled critical extension`.',
  advice: 'Issue it without the extension, or with the extension not marked critical.',
  noRemedy: 'needs-its-authority',
  kinds: ['unhandled-critical-extension'],
  text: '{what}{which} has a critical extension that the API server does not understand: {extensions}',
  data: ({ fault }) => ({
    extensions: fault.certificate?.unhandledCritical.join(', ') || 'one of the standard ones',
  }),
});
