import { certManager } from '../../../facts/objects/cert-manager.ts';
import { rotatedSecret } from '../../../products/serving-material.ts';
import { dayOf } from '../../../serving-certificates/chains.ts';
import { servingSecret } from '../../../serving-certificates/serving-secret.ts';
import { certificateFaultCheck, createAgain } from './certificate-fault-check.ts';

export const servingCertificateExpired = certificateFaultCheck({
  id: 'serving-certificate-expired',
  title: 'Serving certificate has expired',
  why: 'The API server checks the dates before the names and the signature, so an expired certificate hides other errors. Every call over a new connection fails with `x509: certificate has expired or is not yet valid: current time … is after …`.',
  advice:
    '[look] Find out which program renews it: `kubectl webhook cert-check {configuration} -o wide`. [end] Issue a new one (cert-manager: `cmctl renew`). [end] If the program of the webhook issues it, delete its Secret, so that it issues another one. [end] Then restart the Pods to load it: `kubectl -n {namespace} rollout restart {workload}`.',
  follows: [
    'served-certificate-differs-from-secret',
    'replicas-serve-different-certificates',
    'certificate-not-issued',
    'certificate-job-failed',
    'certificate-writer-not-running',
    'ca-bundle-overwritten',
    'certificate-writer-not-leader',
    'service-account-lacks-rights',
    'clock-skew',
  ],
  references: [
    'https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5',
    'https://cert-manager.io/docs/usage/certificate/#renewal-reissuance',
  ],
  kinds: ['expired'],
  exceptBundle: true,
  text: '{certificate}{position} expired on {day}',
  causes: {
    renewed: {
      text: '{certificate} expired on {day}; {renewer} keeps it in Secret {kept}, and has not renewed it',
      advice: createAgain,
    },
  },
  causeOf: ({ chain }, callout, facts) => {
    const rotation = rotatedSecret(callout);
    const kept = servingSecret(callout, facts);
    const creates =
      rotation !== undefined && !rotation.byOtherWorkload && !rotation.onlyFills && !rotation.authorityOnly;
    return chain.pod !== undefined &&
      creates &&
      kept?.kind === 'Secret' &&
      kept.name === rotation.secret &&
      kept.secret?.metadata.annotations?.[certManager.certificateName] === undefined
      ? {
          messageId: 'renewed',
          data: { renewer: rotation.by, kept: kept.key },
          names: { secret: kept.name },
        }
      : undefined;
  },
  data: ({ fault }) => ({ day: dayOf(fault.certificate?.notAfter ?? { text: '' }) }),
});
