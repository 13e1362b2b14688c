import {
  alertFacts,
  byReplicas,
  probed,
  reportedAlert,
} from '../../apiserver/connection/handshake-alerts.ts';
import { nameIn } from '../../facts/objects.ts';
import { defineCheck } from '../check.ts';

export const serverHasNoCertificate = defineCheck({
  meta: {
    id: 'server-has-no-certificate',
    title: 'Server has no certificate yet',
    severity: 'error',
    consequence: 'failing',
    confidence: 'observed',
    explains: {
      'alert-of-server': 1,
      'alert-of-server-name': 2,
      'alert-of-parameters': 3,
      'server-without-certificate': 1,
      'tls-alert': 3,
    },
    why: 'A Go server that listens before its certificate is loaded aborts the handshake: the call fails with `remote error: tls: internal error`. It may recover within seconds of the start; otherwise the certificate is missing.',
    advice:
      'Find out what the server waits for: `kubectl -n {namespace} logs {pod}`. Check that its Secret holds a certificate: `kubectl webhook cert-check {configuration}`.',
    noRemedy: 'in-the-server',
    messages: byReplicas('The TLS handshake with {servers} fails: the server has no certificate'),
    follows: [
      'leader-gated-answer',
      'serving-secret-missing',
      'process-cannot-start',
      'service-account-lacks-rights',
    ],
    references: [
      'https://pkg.go.dev/crypto/tls#Config',
      'https://www.rfc-editor.org/rfc/rfc8446#section-6.2',
    ],
  },
  requires: alertFacts,
  subjects: probed,
  run(callout, facts, find) {
    const alert = reportedAlert(callout, facts, ['internal error', 'no certificate']);
    return alert?.complete(
      find(alert.extent, { servers: alert.servers }, alert.evidence, { pod: nameIn(alert.evidence, 'Pod') }),
    );
  },
});
