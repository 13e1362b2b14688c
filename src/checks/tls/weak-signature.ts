import { extents, ofKind, toldFault, whichOf } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const weakSignature = defineCheck({
  meta: {
    id: 'weak-signature',
    link: 'tls',
    title: 'A certificate is signed with SHA-1 or MD5',
    severity: 'error',
    consequence: 'failing',
    explains: { 'certificate-warning': 2 },
    why: 'Go refuses SHA-1 signatures since 1.18 (Kubernetes 1.24) and nothing allows them again since Kubernetes 1.33; MD5 was never good. The self-signature of an authority in the caBundle does not count.',
    advice: 'Issue it anew with SHA-256.',
    noRemedy: 'needs-its-authority',
    messages: extents('{what}{which} has a signature that the API server refuses: {words}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('weak-signature', 'unknown-algorithm'));
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
