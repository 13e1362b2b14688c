import { alertFacts, byReplicas, probed, toldAlert } from '../../apiserver/connection/handshake-alerts.ts';
import { ownAlert } from '../../apiserver/connection/probed.ts';
import { defineCheck } from '../check.ts';

export const tlsVersionUnsupported = defineCheck({
  meta: {
    id: 'tls-version-unsupported',
    link: 'tls',
    title: 'The server speaks only TLS versions that the API server does not',
    severity: 'error',
    consequence: 'failing',
    explains: { 'client-tls-version': 1, 'tls-alert': 4 },
    why: 'The API server asks for TLS 1.2 or 1.3; built for FIPS, it may offer 1.2 only. A server that has neither ends the handshake, and the call ends in `remote error: tls: protocol version not supported`.',
    advice:
      'Let the server accept TLS 1.2 and newer. Before an API server that is built for FIPS, a minimum of TLS 1.3 is too high.',
    noRemedy: 'in-the-server',
    messages: {
      ...byReplicas('{who} speaks no TLS version that the API server does: 1.2 is the least'),
      ownCall:
        'The server requires a TLS version that this API server does not offer; with others it agrees on {agreed}',
    },
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    const alerts = ['protocol version not supported'];
    const told = toldAlert(callout, facts, alerts);
    const own = told === undefined ? ownAlert(callout, facts, alerts) : undefined;
    if (own !== undefined) return find('ownCall', { agreed: own.agreed }, own.evidence, 'observed');
    return told?.tell(find(told.extent, { who: told.who }, told.evidence, 'observed'));
  },
});
