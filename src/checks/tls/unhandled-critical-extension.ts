import { extents, ofKind, toldFault, whichOf } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const unhandledCriticalExtension = defineCheck({
  meta: {
    id: 'unhandled-critical-extension',
    link: 'tls',
    title: 'A certificate has a critical extension that Go does not understand',
    severity: 'error',
    consequence: 'failing',
    explains: { 'critical-extension': 1 },
    why: 'An extension that is marked critical has to be understood by whoever verifies the certificate. The call ends in `x509: unhandled critical extension`.',
    advice: 'Issue it without the extension, or with the extension not marked critical.',
    noRemedy: 'needs-its-authority',
    messages: extents(
      '{what}{which} has a critical extension that the API server does not understand: {extensions}',
    ),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('unhandled-critical-extension'));
    if (told === undefined) return undefined;
    return told.tell(
      find(
        told.extent,
        {
          what: told.what,
          which: whichOf(told.first),
          extensions:
            told.first.fault.certificate?.unhandledCritical.join(', ') || 'one of the standard ones',
        },
        told.evidence,
        told.confidence,
      ),
    );
  },
});
