import { certificateFaultCheck } from './certificate-fault-check.ts';

export const weakKey = certificateFaultCheck({
  id: 'weak-key',
  title: 'A certificate has a key that Go refuses',
  explains: { 'weak-key': 1 },
  why: 'From Kubernetes 1.33 on (Go 1.24) RSA keys of less than 1024 bits are refused; in all versions those of more than 8192 bits, and keys that are neither RSA, ECDSA nor Ed25519.',
  advice: 'Issue it with a key that is in use today: ECDSA P-256 or RSA 2048.',
  noRemedy: 'needs-its-authority',
  kinds: ['weak-key', 'oversized-key', 'unsupported-key'],
  text: '{what}{which} has a key that the API server refuses: {words}',
});
