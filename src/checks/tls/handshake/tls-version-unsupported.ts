import { alertCheck } from './alert-check.ts';

export const tlsVersionUnsupported = alertCheck({
  id: 'tls-version-unsupported',
  title: 'Server supports no TLS version of the API server',
  why: 'The API server offers TLS 1.2 and 1.3; built for FIPS, it may offer 1.2 only. If the server supports none of them, the call fails with `remote error: tls: protocol version not supported`.',
  advice:
    '[end] Configure the server to accept TLS 1.2 and newer: `kubectl -n {namespace} edit {workload}`. [end] For an API server that is built for FIPS, do not require TLS 1.3.',
  alerts: ['protocol version not supported'],
  text: 'The TLS handshake with {servers} fails: the API server requires TLS 1.2 or later',
  ownCall:
    'The server requires a TLS version that this API server does not offer; with other clients it negotiates {agreed}',
  references: ['https://pkg.go.dev/crypto/tls#Config'],
});
