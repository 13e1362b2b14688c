import { certificateFaultCheck } from './certificate-fault-check.ts';

export const weakSignature = certificateFaultCheck({
  id: 'weak-signature',
  title: 'A certificate is signed with SHA-1 or MD5',
  explains: { 'certificate-warning': 2 },
  why: 'Go refuses SHA-1 signatures since 1.18 (Kubernetes 1.24) and nothing allows them again since Kubernetes 1.33; MD5 was never good. The self-signature of an authority in the caBundle does not count.',
  advice: 'Issue it anew with SHA-256.',
  noRemedy: 'needs-its-authority',
  kinds: ['weak-signature', 'unknown-algorithm'],
  text: '{what}{which} has a signature that the API server refuses: {words}',
});
