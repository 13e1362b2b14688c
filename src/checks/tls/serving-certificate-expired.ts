import { advise } from '../../facts/advice.ts';
import { dayOf } from '../../serving-certificates/ca-bundle.ts';
import { extents, isOfBundle, toldFault, whichOf } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const servingCertificateExpired = defineCheck({
  meta: {
    id: 'serving-certificate-expired',
    link: 'tls',
    title: 'The serving certificate has expired',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-rejects-certificate': 4, expired: 1 },
    why: 'The API server looks at the dates before the names and before the signature: an expired certificate hides whatever else is wrong. Every call over a new connection ends in `x509: certificate has expired or is not yet valid: current time … is after …`.',
    advice: advise`Issue a new one and let the replicas take it up: ${'kubectl -n {namespace} get certificate,secret'} shows who should have; where the Secret is good already, ${'kubectl -n {namespace} rollout restart {workload}'}.`,
    messages: extents('{what}{which} expired on {day}'),
    follows: ['replicas-serve-different-certificates', 'certificate-not-issued', 'clock-skew'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(
      callout,
      facts,
      (fault) => fault.kind === 'expired' && !isOfBundle(fault, callout, facts.version),
    );
    if (told === undefined) return undefined;
    return told.tell(
      find(
        told.extent,
        {
          what: told.what,
          which: whichOf(told.first),
          day: dayOf(told.first.fault.certificate?.notAfter ?? { text: '' }),
        },
        told.evidence,
        told.confidence,
      ),
    );
  },
});
