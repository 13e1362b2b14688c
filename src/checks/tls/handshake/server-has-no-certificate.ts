import { alertsWithoutCertificate } from '../../../apiserver/connection/handshake-alerts.ts';
import { nameIn } from '../../../facts/evidence.ts';
import { alertCheck } from './alert-check.ts';

export const serverHasNoCertificate = alertCheck({
  id: 'server-has-no-certificate',
  title: 'Server has no certificate yet',
  why: 'A Go server that listens before its certificate is loaded aborts the handshake: the call fails with `remote error: tls: internal error`. It may recover within seconds of the start; otherwise the certificate is missing.',
  advice:
    '[look] Find out why the server has no certificate: `kubectl -n {namespace} logs {pod}`. [look] Check that its Secret holds a certificate: `kubectl webhook cert-check {configuration}`.',
  alerts: alertsWithoutCertificate,
  text: 'The TLS handshake with {servers} fails: the server has no certificate',
  names: (_, evidence) => ({ pod: nameIn(evidence, 'Pod') }),
  follows: [
    'leader-gated-answer',
    'serving-secret-missing',
    'process-cannot-start',
    'service-account-lacks-rights',
  ],
  references: ['https://pkg.go.dev/crypto/tls#Config', 'https://www.rfc-editor.org/rfc/rfc8446#section-6.2'],
});
