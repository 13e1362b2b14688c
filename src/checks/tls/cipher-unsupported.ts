import { alertFacts, byReplicas, probed, toldAlert } from '../../apiserver/connection/handshake-alerts.ts';
import { ownAlert } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

export const cipherUnsupported = defineCheck({
  meta: {
    id: 'cipher-unsupported',
    link: 'tls',
    title: 'The server and the API server have no cipher suite in common',
    severity: 'error',
    consequence: 'failing',
    explains: { 'no-common-cipher': 1, 'tls-alert': 5 },
    why: 'The call ends in `remote error: tls: handshake failure`. From Kubernetes 1.30 on the API server offers no suites with RSA key exchange any more, and never CBC with SHA-256 or finite-field Diffie-Hellman. A TLS 1.2 server that demands a client certificate, or whose key cannot sign, ends in the same words.',
    advice:
      'Allow an ECDHE suite with AES-GCM or ChaCha20, or TLS 1.3; see that the server asks for no client certificate.',
    noRemedy: 'in-the-server',
    messages: {
      ...byReplicas(
        '{who} ended the handshake: no cipher suite, signature or client certificate that both sides take',
      ),
      ownCall:
        'The server accepts no cipher suite, curve or signature that this API server offers; with others it agrees on {agreed}',
    },
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    // After the hellos it is about the client's certificate.
    const alerts = ['handshake failure', 'insufficient security level'];
    const told = toldAlert(callout, facts, alerts, (_, greeted) => !greeted);
    const own = told === undefined ? ownAlert(callout, facts, alerts) : undefined;
    if (own !== undefined) return find('ownCall', { agreed: own.agreed }, own.evidence, 'observed');
    return told?.tell(find(told.extent, { who: told.who }, told.evidence, 'observed'));
  },
});
