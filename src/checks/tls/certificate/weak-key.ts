import { certificateFaultCheck } from './certificate-fault-check.ts';

export const weakKey = certificateFaultCheck({
  id: 'weak-key',
  title: 'Certificate has a key that Go rejects',
  why: 'From Kubernetes 1.33 (Go 1.24) RSA keys of less than 1024 bits are rejected. RSA keys of more than 8192 bits are also rejected, and up to Go 1.26 all keys other than RSA, ECDSA and Ed25519.',
  advice:
    '[end] Issue the certificate that the message names with a current key type: ECDSA P-256 or RSA 2048. [with] Then restart the Pods: `kubectl -n {namespace} rollout restart {workload}`. [look] Check the result: `kubectl webhook cert-check {configuration}`.',
  noRemedy: 'needs-its-authority',
  references: ['https://go.dev/doc/go1.24#cryptorsapkgcryptorsa'],
  kinds: ['weak-key', 'oversized-key', 'unsupported-key'],
  text: '{certificate}{position} has a key that the API server rejects: {error}',
});
