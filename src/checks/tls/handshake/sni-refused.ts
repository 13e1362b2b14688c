import { serverHost } from '../../../apiserver/routing/server-host.ts';
import { alertCheck } from './alert-check.ts';

export const sniRefused = alertCheck({
  id: 'sni-refused',
  title: 'Server rejects the name in the TLS handshake (SNI)',
  why: 'The API server sends `SERVICE.NAMESPACE.svc` in the handshake (SNI). A proxy or ingress without that name, or a Go server that has loaded no certificate, fails the call with `remote error: tls: unrecognized name`.',
  advice:
    '[look] If the server has no certificate at all, its log shows why: `kubectl -n {namespace} logs {backend}`. [end] If the server has certificates, add one for `{host}`, or a default one. [end] Or let the Service select the Pods instead of the proxy: `kubectl -n {namespace} edit service {service}`.',
  alerts: ['unrecognized name'],
  text: 'The TLS handshake with {servers} fails: the server has no certificate for the name that the API server sends',
  names: (callout) => ({ host: serverHost(callout) }),
  follows: ['serving-secret-missing'],
  references: ['https://www.rfc-editor.org/rfc/rfc6066#section-3'],
});
