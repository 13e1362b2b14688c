import { extents, ofKind, toldFault, whichOf } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const servingCertificateWrongUsage = defineCheck({
  meta: {
    id: 'serving-certificate-wrong-usage',
    link: 'tls',
    title: 'The serving certificate is not one for servers',
    severity: 'error',
    consequence: 'failing',
    explains: { 'wrong-usage': 1 },
    why: 'An extended key usage without server authentication, on the certificate or on an authority of its chain, ends the call in `x509: certificate specifies an incompatible key usage`. No extended key usage at all means any.',
    advice: 'Issue it with the usage `server auth`.',
    noRemedy: 'needs-its-authority',
    messages: extents('{what}{which} is not one for servers: {words}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('wrong-usage'));
    if (told === undefined) return undefined;
    return told.tell(
      find(
        told.extent,
        { what: told.what, which: whichOf(told.first), words: told.first.fault.text },
        told.evidence,
        told.confidence,
      ),
    );
  },
});
