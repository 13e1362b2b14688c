import { certificateFaultCheck } from './certificate-fault-check.ts';

export const weakSignature = certificateFaultCheck({
  id: 'weak-signature',
  title: 'Certificate is signed with SHA-1 or MD5',
  why: 'Go rejects SHA-1 signatures since 1.18 (Kubernetes 1.24), and since Kubernetes 1.33 no setting allows them; it always rejects MD5. The self-signature of a CA in the caBundle is not checked.',
  advice:
    '[end] Issue the certificate that the message names again, with SHA-256. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
  noRemedy: 'needs-its-authority',
  references: ['https://pkg.go.dev/crypto/x509#InsecureAlgorithmError'],
  kinds: ['weak-signature', 'unknown-algorithm'],
  text: '{certificate}{position} has a signature that the API server rejects: {error}',
});
