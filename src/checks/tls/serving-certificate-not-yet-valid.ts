import { extents, isOfBundle, toldFault, whichOf } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const servingCertificateNotYetValid = defineCheck({
  meta: {
    id: 'serving-certificate-not-yet-valid',
    link: 'tls',
    title: 'The serving certificate is not valid yet',
    severity: 'error',
    consequence: 'failing',
    explains: { 'not-yet-valid': 1 },
    why: "Its time begins in the future of the API server: whoever issued it has a clock that is ahead, or the API server's is behind. The call ends in `x509: certificate has expired or is not yet valid: current time … is before …`.",
    advice:
      'Compare the clocks of the nodes with the one that issued it. It heals when its time comes; until then issue another one.',
    noRemedy: { because: 'it becomes valid in time, or a clock is wrong' },
    messages: extents('{what}{which} is not valid before {moment}'),
    follows: ['replicas-serve-different-certificates', 'certificate-not-issued', 'clock-skew'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(
      callout,
      facts,
      (fault) => fault.kind === 'not-yet-valid' && !isOfBundle(fault, callout, facts.version),
    );
    if (told === undefined) return undefined;
    return told.tell(
      find(
        told.extent,
        {
          what: told.what,
          which: whichOf(told.first),
          moment: told.first.fault.certificate?.notBefore.text ?? '',
        },
        told.evidence,
        told.confidence,
      ),
    );
  },
});
