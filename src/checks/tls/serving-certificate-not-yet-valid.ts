import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateNotYetValid = certificateFaultCheck({
  id: 'serving-certificate-not-yet-valid',
  title: 'Serving certificate is not valid yet',
  explains: { 'not-yet-valid': 1 },
  why: "Its notBefore date is in the future of the API server: the issuer's clock is ahead, or the API server's clock is behind. The call fails with `x509: certificate has expired or is not yet valid: current time … is before …`.",
  advice:
    'Compare the clocks of the control plane nodes with the clock of the issuer. The certificate becomes valid at its notBefore date; if that is too late, issue another one.',
  noRemedy: { because: 'it becomes valid in time, or a clock is wrong' },
  follows: ['replicas-serve-different-certificates', 'certificate-not-issued', 'clock-skew'],
  kinds: ['not-yet-valid'],
  exceptBundle: true,
  text: '{what}{which} is not valid before {moment}',
  data: ({ fault }) => ({ moment: fault.certificate?.notBefore.text ?? '' }),
});
