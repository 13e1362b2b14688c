import { extents, ofKind, toldFault, whichOf } from '../../serving-certificates/certificate-faults.ts';
import { chainFacts, lookedAt } from '../../serving-certificates/chains.ts';
import { defineCheck } from '../check.ts';

export const weakKey = defineCheck({
  meta: {
    id: 'weak-key',
    link: 'tls',
    title: 'A certificate has a key that Go refuses',
    severity: 'error',
    consequence: 'failing',
    explains: { 'weak-key': 1 },
    why: 'From Kubernetes 1.33 on (Go 1.24) RSA keys of less than 1024 bits are refused; in all versions those of more than 8192 bits, and keys that are neither RSA, ECDSA nor Ed25519.',
    advice: 'Issue it with a key that is in use today: ECDSA P-256 or RSA 2048.',
    noRemedy: 'needs-its-authority',
    messages: extents('{what}{which} has a key that the API server refuses: {words}'),
    follows: ['replicas-serve-different-certificates'],
  },
  requires: chainFacts,
  subjects: lookedAt,
  run(callout, facts, find) {
    const told = toldFault(callout, facts, ofKind('weak-key', 'oversized-key', 'unsupported-key'));
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
