import { advise } from '../../facts/advice.ts';
import { dayOf } from '../../serving-certificates/ca-bundle.ts';
import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateExpired = certificateFaultCheck({
  id: 'serving-certificate-expired',
  title: 'The serving certificate has expired',
  explains: { 'client-rejects-certificate': 3, expired: 1 },
  why: 'The API server looks at the dates before the names and before the signature: an expired certificate hides whatever else is wrong. Every call over a new connection ends in `x509: certificate has expired or is not yet valid: current time … is after …`.',
  advice: advise`Issue a new one and let the replicas take it up: ${'kubectl -n {namespace} get certificate,secret'} shows who should have; where the Secret is good already, ${'kubectl -n {namespace} rollout restart {workload}'}.`,
  follows: [
    'served-certificate-differs-from-secret',
    'replicas-serve-different-certificates',
    'certificate-not-issued',
    'certificate-job-failed',
    'ca-bundle-overwritten',
    'certificate-writer-not-leader',
    'clock-skew',
  ],
  kinds: ['expired'],
  exceptBundle: true,
  text: '{what}{which} expired on {day}',
  data: ({ fault }) => ({ day: dayOf(fault.certificate?.notAfter ?? { text: '' }) }),
});
