import { certificateFaultCheck } from './certificate-fault-check.ts';

export const servingCertificateNotYetValid = certificateFaultCheck({
  id: 'serving-certificate-not-yet-valid',
  title: 'The serving certificate is not valid yet',
  explains: { 'not-yet-valid': 1 },
  why: "Its time begins in the future of the API server: whoever issued it has a clock that is ahead, or the API server's is behind. The call ends in `x509: certificate has expired or is not yet valid: current time … is before …`.",
  advice:
    'Compare the clocks of the nodes with the one that issued it. It heals when its time comes; until then issue another one.',
  noRemedy: { because: 'it becomes valid in time, or a clock is wrong' },
  follows: ['replicas-serve-different-certificates', 'certificate-not-issued', 'clock-skew'],
  kinds: ['not-yet-valid'],
  exceptBundle: true,
  text: '{what}{which} is not valid before {moment}',
  data: ({ fault }) => ({ moment: fault.certificate?.notBefore.text ?? '' }),
});
