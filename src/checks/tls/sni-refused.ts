import { serverHost } from '../../apiserver/certificate/server-host.ts';
import { alertFacts, byReplicas, probed, toldAlert } from '../../apiserver/connection/handshake-alerts.ts';
import { advise } from '../../facts/advice.ts';
import { defineCheck } from '../check.ts';

export const sniRefused = defineCheck({
  meta: {
    id: 'sni-refused',
    link: 'tls',
    title: 'The server knows no name that the API server asks for',
    severity: 'error',
    consequence: 'failing',
    explains: { 'tls-alert': 2 },
    why: 'The API server asks for `SERVICE.NAMESPACE.svc` in the handshake (SNI). A proxy or ingress that chooses by name and has no such name ends it in `remote error: tls: unrecognized name`.',
    advice: advise`Give the server a certificate for ${{ code: '{host}' }}, or one for any name; or let the Service point at the Pods and not at the proxy.`,
    noRemedy: 'in-the-server',
    messages: byReplicas('{who} has no certificate for the name that the API server asks for'),
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    const told = toldAlert(callout, facts, ['unrecognized name']);
    return told?.tell(
      find(told.extent, { who: told.who }, told.evidence, { host: serverHost(callout) }, 'observed'),
    );
  },
});
