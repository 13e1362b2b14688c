import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateNotYetValid = certificateFaultCheck({
  id: 'serving-certificate-not-yet-valid',
  title: 'Serving certificate is not valid yet',
  why: "The notBefore date of the certificate is in the future of the API server. The issuer's clock is ahead, or the API server's clock is behind. Until then, calls fail with `x509: certificate has expired or is not yet valid: current time … is before …`.",
  advice:
    '[look] Compare the clocks: `kubectl webhook cert-check {configuration}` shows the notBefore date, and `date -u` on a control plane node the time of the API server. [end] Correct the clock that is wrong. [end] If the date is far in the future, issue another certificate.',
  noRemedy: { because: 'it becomes valid in time, or a clock is wrong' },
  follows: ['replicas-serve-different-certificates', 'certificate-not-issued', 'clock-skew'],
  references: ['https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5'],
  kinds: ['not-yet-valid'],
  exceptBundle: true,
  text: '{certificate}{position} is not valid before {moment}',
  data: ({ fault }) => ({ moment: fault.certificate?.notBefore.text ?? '' }),
});
