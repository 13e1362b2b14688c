import type { CauseKind } from '../src/apiserver/sentences/cause-kind.ts';

/** Last words of a failed call, and what they mean in one sentence. */
export interface ErrorText {
  readonly kind: CauseKind;
  /** As the API server writes it; the part that varies is made up. */
  readonly says: string;
  readonly means: string;
}

const text = (kind: CauseKind, says: string, means: string): ErrorText => ({ kind, says, means });

/** By the part of the way on which the call ended, in the order of the way. */
export const errorTexts: readonly { readonly title: string; readonly texts: readonly ErrorText[] }[] = [
  {
    title: 'Finding the backend',
    texts: [
      text(
        'service-missing',
        'service "policy" not found',
        'There is no Service of that name in that namespace.',
      ),
      text(
        'port-missing',
        'no service port 443 found for service "policy"',
        'The Service exists and does not have the port that is called.',
      ),
      text(
        'no-endpoints',
        'no endpoints available for service "policy"',
        'The Service has no ready Pod behind it (said with endpoint routing; elsewhere it is "connection refused").',
      ),
      text(
        'headless',
        'cannot route to service with ClusterIP "None"',
        'A headless Service has no address that the API server could dial.',
      ),
      text(
        'external-name',
        'unsupported service type "ExternalName"',
        'The API server does not follow an ExternalName to another host.',
      ),
      text(
        'dns',
        'dial tcp: lookup policy.shop.svc on 192.0.2.53:53: no such host',
        "The API server looks names of URLs up with its own resolver, which does not know the cluster's names.",
      ),
    ],
  },
  {
    title: 'Connecting',
    texts: [
      text(
        'connection-refused',
        'dial tcp 203.0.113.10:443: connect: connection refused',
        'Nobody listens there: no ready Pod behind the Service, another port, or a replica that does not serve.',
      ),
      text(
        'no-route',
        'dial tcp 203.0.113.10:443: connect: no route to host',
        'No packet gets there: a firewall or policy rejects it, or the Pod is gone.',
      ),
      text(
        'not-permitted',
        'dial tcp 203.0.113.10:443: connect: operation not permitted',
        "A rule on the API server's own machine forbids the connection.",
      ),
      text(
        'network-unreachable',
        'dial tcp 198.51.100.7:8443: connect: network is unreachable',
        "The API server's machine has no way to the network of Pods or Services.",
      ),
      text(
        'connect-timeout',
        'dial tcp 198.51.100.7:8443: i/o timeout',
        'Packets are dropped on the way: a firewall, a NetworkPolicy, a dead node.',
      ),
      text(
        'deadline',
        'context deadline exceeded',
        'The whole time of the webhook passed: packets are dropped, or the replica is slow.',
      ),
      text(
        'canceled',
        'context canceled',
        'Whoever asked the API server went away before the webhook answered.',
      ),
      text(
        'handshake-timeout',
        'net/http: TLS handshake timeout',
        'Somebody accepts connections and says nothing.',
      ),
      text(
        'connection-closed',
        'EOF',
        'The connection was ended in the middle: a restarting replica, a sidecar, a kept connection that was too old.',
      ),
      text(
        'proxy',
        'proxyconnect tcp: dial tcp 192.0.2.7:3128: connect: connection refused',
        'The API server goes through an HTTP proxy, which does not answer.',
      ),
      text('tunnel', 'No agent available', 'The tunnel between control plane and nodes is down.'),
      text(
        'address-not-allowed',
        'Address is not allowed',
        'The provider of the control plane does not connect to such addresses.',
      ),
    ],
  },
  {
    title: 'TLS and certificates',
    texts: [
      text(
        'unknown-authority',
        'tls: failed to verify certificate: x509: certificate signed by unknown authority',
        'The caBundle does not hold the CA that signed what the replica serves.',
      ),
      text(
        'ca-bundle-invalid',
        'unable to load root certificates: unable to parse bytes as PEM block',
        'The caBundle is no PEM.',
      ),
      text(
        'no-system-roots',
        'x509: failed to load system roots and no roots provided',
        'There is no caBundle, and the API server has no roots of its own.',
      ),
      text(
        'expired',
        'x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after 2025-12-01T00:00:00Z',
        'A certificate on which the call rests has ended.',
      ),
      text(
        'not-yet-valid',
        'x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before 2026-02-01T00:00:00Z',
        'A certificate begins later, or a clock is wrong.',
      ),
      text(
        'name-mismatch',
        'x509: certificate is valid for other.shop.svc, not policy.shop.svc',
        'The certificate is for other names than SERVICE.NAMESPACE.svc.',
      ),
      text(
        'legacy-common-name',
        'x509: certificate relies on legacy Common Name field, use SANs instead',
        'The name stands in the common name alone, which Go does not read.',
      ),
      text(
        'wrong-usage',
        'x509: certificate specifies an incompatible key usage',
        'The certificate may not be used by servers.',
      ),
      text(
        'ca-not-allowed',
        'x509: certificate is not authorized to sign other certificates',
        'What stands in the caBundle as a CA is none.',
      ),
      text(
        'name-constraint',
        'x509: a root or intermediate certificate is not authorized to sign for this name: DNS name "policy.shop.svc" is not permitted by any constraint',
        'The CA may not sign for this name.',
      ),
      text(
        'critical-extension',
        'x509: unhandled critical extension',
        'Go does not know an extension that it must not ignore.',
      ),
      text(
        'weak-key',
        'tls: invalid signature by the server certificate: crypto/rsa: 768-bit keys are insecure',
        'The key is too short for the Go of this API server.',
      ),
      text(
        'certificate-malformed',
        'tls: failed to parse certificate from server: x509: negative serial number',
        'Go does not read the served certificate.',
      ),
      text('certificate-other', 'x509: unsupported elliptic curve', 'Another objection to the certificate.'),
      text(
        'tls-alert',
        'remote error: tls: handshake failure',
        'The replica ended the handshake: versions, ciphers, names, or it wants a client certificate.',
      ),
      text(
        'plain-http',
        'http: server gave HTTP response to HTTPS client',
        'What listens there speaks HTTP without TLS.',
      ),
      text(
        'not-tls',
        'tls: first record does not look like a TLS handshake',
        'What listens there is no TLS server.',
      ),
    ],
  },
  {
    title: 'The answer',
    texts: [
      text(
        'not-http',
        'net/http: HTTP/1.x transport connection broken: malformed HTTP response "x"',
        'What answers is no HTTP server.',
      ),
      text(
        'path-not-found',
        'the server could not find the requested resource',
        'The server answers 404: the path is another one.',
      ),
      text(
        'unauthorized',
        'the server has asked for the client to provide credentials',
        'The server, or something before it, wants credentials that the API server does not send.',
      ),
      text(
        'redirects',
        'stopped after 10 redirects',
        'The server sends the call elsewhere, again and again.',
      ),
      text(
        'http-error',
        'an error on the server ("") has prevented the request from succeeding',
        'The server answered with an error.',
      ),
      text(
        'unavailable',
        'the server is currently unable to handle the request',
        'The server, or a proxy before it, answered 503 or 504.',
      ),
      text(
        'response-invalid',
        'received invalid webhook response: expected response.uid="a", got "b"',
        'The answer is no AdmissionReview that fits the question.',
      ),
      text(
        'patch-invalid',
        'received undecodable patch in webhook response: invalid JSON Document',
        'The patch cannot be read or applied.',
      ),
      text(
        'review-versions',
        'webhook does not accept known AdmissionReview versions (v1, v1beta1)',
        'The configuration names only versions that the API server does not speak.',
      ),
      text(
        'side-effects',
        'Webhook SideEffects is nil',
        'A dry run asks a webhook that declares nothing about side effects.',
      ),
      text(
        'panic',
        'ValidatingAdmissionWebhook/policy.example.com has panicked: runtime error',
        'The call crashed inside the API server.',
      ),
    ],
  },
];
