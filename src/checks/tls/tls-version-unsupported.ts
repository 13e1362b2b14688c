import { alertFacts, byReplicas, probed, toldAlert } from '../../apiserver/connection/handshake-alerts.ts';
import { defineCheck } from '../check.ts';

export const tlsVersionUnsupported = defineCheck({
  meta: {
    id: 'tls-version-unsupported',
    link: 'tls',
    title: 'The server speaks only TLS versions that the API server does not',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-tls-version': 1, 'tls-alert': 4 },
    why: 'The API server asks for TLS 1.2 or 1.3. A server that has neither ends the handshake, and the call ends in `remote error: tls: protocol version not supported`.',
    advice: 'Let the server speak TLS 1.2 or newer.',
    noRemedy: 'in-the-server',
    messages: byReplicas('{who} speaks no TLS version that the API server does: 1.2 is the least'),
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    const told = toldAlert(callout, facts, ['protocol version not supported']);
    return told?.tell(find(told.extent, { who: told.who }, told.evidence, 'observed'));
  },
});
