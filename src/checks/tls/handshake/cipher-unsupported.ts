import { alertCheck } from './alert-check.ts';

export const cipherUnsupported = alertCheck({
  id: 'cipher-unsupported',
  title: 'Server and API server share no cipher suite',
  why: 'From Kubernetes 1.30 the API server offers no cipher suites with RSA key exchange, and never CBC with SHA-256 or finite-field Diffie-Hellman. The call fails with `remote error: tls: handshake failure`, which a TLS 1.2 server also sends when it requires a client certificate or its key cannot sign.',
  advice:
    '[end] Enable TLS 1.3, or an ECDHE cipher suite with AES-GCM or ChaCha20, and the curves X25519 and P-256. [end] Check that the server does not require a client certificate: `kubectl -n {namespace} edit {workload}`.',
  // After the hello messages, these alerts are about the client's certificate.
  alerts: ['handshake failure', 'insufficient security level'],
  hasMeaning: (_, greeted) => !greeted,
  text: 'The TLS handshake with {servers} fails: no cipher suite, signature or client certificate that both sides accept',
  ownCall:
    'The server accepts no cipher suite, curve or signature that this API server offers; with other clients it negotiates {agreed}',
  follows: ['process-cannot-start'],
  references: ['https://go.dev/doc/go1.22#crypto/tls', 'https://pkg.go.dev/crypto/tls#CipherSuites'],
});
