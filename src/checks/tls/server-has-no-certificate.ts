import { alertFacts, byReplicas, probed, toldAlert } from '../../apiserver/connection/handshake-alerts.ts';
import { advise } from '../../facts/advice.ts';
import { nameIn } from '../../facts/evidence.ts';
import { defineCheck } from '../check.ts';

export const serverHasNoCertificate = defineCheck({
  meta: {
    id: 'server-has-no-certificate',
    link: 'tls',
    title: 'The server has no certificate yet',
    severity: 'error',
    consequence: 'failing',
    explains: { 'server-without-certificate': 1, 'tls-alert': 3 },
    why: 'A Go server that listens before its certificate is loaded ends the handshake with an internal error. It may heal within seconds of the start; when it does not, the certificate never came. The call ends in `remote error: tls: internal error`.',
    advice: advise`See what it waits for: ${'kubectl -n {namespace} logs {pod}'}, and whether its Secret holds a certificate.`,
    noRemedy: 'in-the-server',
    messages: byReplicas('{who} has no certificate to present'),
    follows: ['leader-gated-answer'],
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    const told = toldAlert(callout, facts, ['internal error', 'no certificate']);
    return told?.tell(
      find(told.extent, { who: told.who }, told.evidence, { pod: nameIn(told.evidence, 'Pod') }, 'observed'),
    );
  },
});
