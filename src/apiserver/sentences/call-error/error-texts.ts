import { defined } from '../../../basics/collections.ts';
import { conversionOff } from '../../../phrases/conversion-off.ts';
import type { CallCause } from './call-error.ts';
import type { CauseKind, Symptom } from './cause-kind.ts';

/** The stages of a call at which it can fail, in order. */
export const errorSections = [
  'Finding the backend',
  'Connecting',
  'TLS and certificates',
  'The response',
] as const;

/** The cause of a failed call, and its meaning. */
export interface ErrorText {
  readonly section: (typeof errorSections)[number];
  /** An example as the API server writes it. */
  readonly says: string;
  /** One or two sentences. */
  readonly means: string;
  /** What to check if no check of this program covers it. */
  readonly next?: readonly string[];
  /** Manual steps instead of those of its causes: the first one, which only reads, shows which cause it is. */
  readonly steps?: string;
}

/** A text without the section that it is listed in. */
type ListedText = Omit<ErrorText, 'section'>;

const text = (says: string, means: string, next?: readonly string[]): ListedText => ({
  says,
  means,
  ...defined({ next }),
});

/** Renamed, moved, not installed yet and uninstalled: what to do follows from which Services exist. */
const findService = `[look] Look for the Service in other namespaces: \`kubectl get services -A --field-selector metadata.name={service}\`. [look] Look for a Service with another name: \`kubectl -n {namespace} get services\`. [end] If you find the Service, correct the reference where it is declared: \`kubectl edit {kind} {configuration}\`. [end] If no such Service exists and the product is needed, install the product again. [end] If the product was uninstalled, delete the object that refers to the Service: \`kubectl delete {kind} {leftover}\`. [with] If the product of a CRD was uninstalled, turn its conversion off, so that its objects can be read and deleted: ${conversionOff}.`;

const inSection = <Kind extends CauseKind>(
  section: ErrorText['section'],
  texts: Readonly<Record<Kind, ListedText>>,
) =>
  Object.fromEntries(
    Object.entries<ListedText>(texts).map(([kind, one]) => [kind, { section, ...one }]),
  ) as Readonly<Record<Kind, ErrorText>>;

const refusedHere = (what: string): string => `The API server cannot connect: ${what}`;

/** Every cause that the parser recognizes, except `other`: an unknown text. */
export const errorTexts: Readonly<Record<Exclude<CauseKind, 'other'>, ErrorText>> = {
  ...inSection('Finding the backend', {
    'service-missing': {
      ...text(
        'service "policy" not found',
        'The Service does not exist in that namespace: its product was removed or is not installed yet, or the Service has another name or namespace.',
      ),
      steps: findService,
    },
    'port-missing': text(
      'no service port 443 found for service "policy"',
      'The Service exists but does not have the configured port: the configuration and the Service are of different releases, or one was changed.',
    ),
    'no-endpoints': text(
      'no endpoints available for service "policy"',
      'The Service has no ready endpoint. An API server without `--enable-aggregator-routing` reports "connection refused" instead.',
      ['kubectl -n NAMESPACE get pods'],
    ),
    headless: text(
      'cannot route to service with ClusterIP "None"',
      'The Service is headless: it has no ClusterIP that the API server could connect to.',
    ),
    'external-name': text(
      'unsupported service type "ExternalName"',
      'The Service is of type ExternalName, which the API server does not follow.',
    ),
    dns: text(
      'dial tcp: lookup policy.shop.svc on 192.0.2.53:53: no such host',
      'The API server resolves host names of URLs with the resolver of its own machine, which does not know names of the cluster.',
    ),
  }),
  ...inSection('Connecting', {
    'connection-refused': text(
      'dial tcp 203.0.113.10:443: connect: connection refused',
      refusedHere('no Pod of the Service is ready (yet), the port is wrong, or the Pod does not listen.'),
      ['kubectl -n NAMESPACE get pods'],
    ),
    'no-route': text(
      'dial tcp 203.0.113.10:443: connect: no route to host',
      refusedHere(
        'a firewall or NetworkPolicy rejects the packets, the Pod no longer exists, or no route leads to it.',
      ),
    ),
    'not-permitted': text(
      'dial tcp 203.0.113.10:443: connect: operation not permitted',
      refusedHere(
        'a rule on its own machine forbids the connection. Cilium has such a rule for a Service without a ready endpoint.',
      ),
    ),
    'network-unreachable': text(
      'dial tcp 198.51.100.7:8443: connect: network is unreachable',
      refusedHere('its machine has no route to the network of Pods or Services.'),
    ),
    'connect-timeout': text(
      'dial tcp 198.51.100.7:8443: i/o timeout',
      'Packets are dropped on the way: by a firewall, a NetworkPolicy, or a node that is down.',
    ),
    deadline: text(
      'context deadline exceeded',
      'The webhook timeout ended before a response arrived: packets are dropped (firewall, NetworkPolicy, Pod network), or the Pod is slow. The `kubectl get --raw` command below shows which: `i/o timeout` means the network. Any response, even 404, means that the Pod is slow.',
      ['kubectl get --raw /api/v1/namespaces/NAMESPACE/services/https:SERVICE:PORT/proxy/'],
    ),
    canceled: text(
      'context canceled',
      'The client that sent the request disconnected before the webhook responded. The webhook may be slow, or the client exited.',
    ),
    'handshake-timeout': text(
      'net/http: TLS handshake timeout',
      'The connection is accepted, but the TLS handshake does not complete: the process hangs, or large packets are lost on the way (MTU).',
    ),
    'connection-closed': text(
      'EOF',
      'The connection was closed before the response was complete. The Pod restarted or panicked, a sidecar closed it, or the connection was idle for too long.',
      ['kubectl -n NAMESPACE get pods'],
    ),
    proxy: text(
      'proxyconnect tcp: dial tcp 192.0.2.7:3128: connect: connection refused',
      'The API server sends webhook calls through an HTTP proxy, which refuses them or does not respond. `NO_PROXY` of kube-apiserver must contain `.svc`, `.cluster.local` and the Service range.',
      ['kubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep -i -A1 proxy'],
    ),
    tunnel: text(
      'No agent available',
      'The tunnel between the control plane and the nodes is down, or the Pod behind it refuses the connection.',
    ),
    'address-not-allowed': text(
      'Address is not allowed',
      'The managed control plane does not connect to this address, because it is outside the ranges that the provider allows.',
    ),
  }),
  ...inSection('TLS and certificates', {
    'unknown-authority': text(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      'The caBundle does not contain the CA that signed the serving certificate. Just after an installation it may not be written yet.',
    ),
    'ca-bundle-invalid': text(
      'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
      'The caBundle contains no valid PEM certificate.',
    ),
    'own-certificate-invalid': text(
      'could not get REST client: tls: failed to find any PEM data in certificate input',
      'kube-apiserver cannot load the client certificate that it presents to webhooks. Its `--admission-control-config-file` names a kubeconfig for webhooks whose certificate or key is not PEM.',
      ['kubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep admission-control'],
    ),
    'no-system-roots': text(
      'x509: failed to load system roots and no roots provided',
      'The caBundle is empty, and the machine of the API server has no system roots.',
    ),
    expired: text(
      'x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after 2025-12-01T00:00:00Z',
      'The serving certificate, or a certificate that it depends on, has expired.',
    ),
    'not-yet-valid': text(
      'x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before 2026-02-01T00:00:00Z',
      'The certificate is not valid yet, or a clock is wrong.',
    ),
    'name-mismatch': text(
      'x509: certificate is valid for other.shop.svc, not policy.shop.svc',
      'The serving certificate is not valid for the name that the API server expects: SERVICE.NAMESPACE.svc, or the host of the URL.',
    ),
    'legacy-common-name': text(
      'x509: certificate relies on legacy Common Name field, use SANs instead',
      'The serving certificate has no subject alternative name. Go does not read the common name.',
    ),
    'wrong-usage': text(
      'x509: certificate specifies an incompatible key usage',
      'The extended key usage of the certificate does not allow server authentication.',
    ),
    'ca-not-allowed': text(
      'x509: certificate is not authorized to sign other certificates',
      'The caBundle contains a certificate that is not a CA.',
    ),
    'name-constraint': text(
      'x509: a root or intermediate certificate is not authorized to sign for this name: DNS name "policy.shop.svc" is not permitted by any constraint',
      'The name constraints of the CA do not allow this name.',
    ),
    'critical-extension': text(
      'x509: unhandled critical extension',
      'The certificate has a critical extension that Go does not know, so it must reject it.',
    ),
    'weak-key': text(
      'tls: invalid signature by the server certificate: crypto/rsa: 768-bit keys are insecure',
      'The key is too short for the Go release of this API server.',
    ),
    'certificate-malformed': text(
      'tls: failed to parse certificate from server: x509: negative serial number',
      'Go cannot parse the serving certificate.',
    ),
    'certificate-other': text(
      'x509: unsupported elliptic curve',
      'The TLS handshake fails, or the certificate is not accepted, for a reason that no check covers. The text after `x509:` or `tls:` is the reason.',
      ['kubectl webhook cert-check'],
    ),
    'tls-alert': text(
      'remote error: tls: handshake failure',
      'The webhook server ended the handshake: TLS version, cipher suites, server name, or a client certificate that it requires.',
    ),
    'plain-http': text(
      'http: server gave HTTP response to HTTPS client',
      'The port serves HTTP without TLS.',
    ),
    'not-tls': text(
      'tls: first record does not look like a TLS handshake',
      'The program that listens on the port is not a TLS server.',
    ),
  }),
  ...inSection('The response', {
    'not-http': text(
      'net/http: HTTP/1.x transport connection broken: malformed HTTP response "x"',
      'The program that listens on the port is not an HTTP server.',
    ),
    'path-not-found': text(
      'the server could not find the requested resource',
      'The webhook server returns 404: it does not serve the path of the configuration. A policy server may also return 404 until it has loaded its policies.',
    ),
    unauthorized: text(
      'the server has asked for the client to provide credentials',
      'The webhook server, or a proxy before it, requires credentials that the API server does not send.',
    ),
    redirects: text('stopped after 10 redirects', 'The webhook server redirects the call repeatedly.'),
    'http-error': text(
      'an error on the server ("") has prevented the request from succeeding',
      'The webhook server, or a proxy on the way, returned an HTTP error.',
    ),
    unavailable: text(
      'the server is currently unable to handle the request',
      'The webhook server, or a proxy before it, returned 503 or 504.',
    ),
    'response-invalid': text(
      'received invalid webhook response: expected response.uid="a", got "b"',
      'The response is not an AdmissionReview (or ConversionReview) that matches the request.',
    ),
    'patch-invalid': text(
      'received undecodable patch in webhook response: invalid JSON Document',
      'The patch in the response cannot be decoded or applied.',
    ),
    'review-versions': text(
      'webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      'The configuration lists only review versions that the API server does not support. It supports v1.',
      ["kubectl get KIND NAME -o jsonpath='{.webhooks[*].admissionReviewVersions}'"],
    ),
    'side-effects': text(
      'Webhook SideEffects is nil',
      'A dry run matches a webhook that does not declare `sideEffects`.',
    ),
    panic: text(
      'ValidatingAdmissionWebhook/policy.example.com has panicked: runtime error',
      'kube-apiserver itself panicked during the call. Its log contains the stack trace.',
    ),
  }),
};

/** The values in a text, besides its kind. */
const symptoms: Partial<Record<Symptom, string>> = {
  'tunnel-timeout':
    'The tunnel is up, but its agent gets no response from the Pod. A NetworkPolicy or firewall drops the packets, or the node is down.',
  'tunnel-refused':
    'The tunnel is up, and the Pod refuses the connection. It does not listen at this port (yet), or the Service names another port.',
  'connect-timeout':
    'The API server got no connection in time. A firewall, a NetworkPolicy or a node that is down drops packets, or the TLS handshake hangs.',
  'endpoint-refused':
    'The API server connects to a Pod directly, at a port that is not that of the Service, and the Pod refuses. It does not listen there (yet), or it belongs to another workload.',
  'trust-cut':
    'The certificate of the server is not accepted. The text ends before the reason: find the complete message.',
  'response-timeout':
    'The connection was open, but no response arrived within the timeout: the Pod is slow or hangs.',
  'body-timeout':
    'The webhook server began to respond, and its response was not complete within the timeout: the Pod is slow or hangs.',
  'body-not-decompressed':
    'The response has the header `Content-Encoding: gzip`, and its body is not in that format. A proxy or middleware on the way changed one of the two.',
  'conversion-refused':
    'The conversion webhook was called, and did not convert an object. A text after `failed:` is the message of the webhook. Every list that converts this object fails.',
  'conversion-unsupported':
    'The CRD serves a version that the conversion webhook does not support: CRD and webhook are of different releases, or the program lacks this conversion.',
  'empty-answer': 'The webhook server responded with an empty body, or without `response`.',
  'answer-of-other-version':
    'The webhook server does not know this version of the review, or its response has another `apiVersion` or holds objects of another version than requested.',
  'answer-with-other-uid':
    'The `response.uid` is not the `request.uid` of the review: the program does not copy it, or responds in v1beta1, where it may be absent.',
  'sha1-signature':
    'A certificate of the chain is signed with SHA-1 or MD5, which the Go release of this client does not accept.',
  'certificate-of-other-server':
    'The certificate names no Service: another server responds at this address and port. It can be the kubelet (10250 on the host network, or on Fargate), an ingress controller or a proxy.',
  'certificate-without-names':
    'The serving certificate has no DNS name. The sidecar of a mesh responds with such a certificate, of its own, if mutual TLS is strict. Otherwise the certificate was created without names, or is a temporary one.',
  'certificate-of-other-service':
    'The certificate is for other Services of this namespace. Usually two programs write the same Secret, Pods of another program respond, or the Service was renamed.',
  'url-host-unknown':
    'The API server cannot resolve the host name of the URL. The name does not exist, or the DNS server of its machine does not respond.',
  'url-not-reached':
    'The API server cannot connect to the host of the URL: no server listens there, or a firewall is between them. `localhost` is the machine of the API server itself.',
  'alert-of-version': 'The webhook server supports none of the TLS versions that the API server offers.',
  'alert-of-client-certificate':
    'The webhook server requires a client certificate, or rejects the one that the API server presents.',
  'alert-of-server-name':
    'The webhook server has no certificate for the name that the API server sends in the TLS handshake (SNI), or has loaded none at all.',
  'alert-of-parameters':
    'The webhook server accepts no cipher suite, curve or signature that the API server offers. Some servers send the same alert if they require a client certificate, or have no certificate yet.',
  'alert-of-server':
    'The webhook server ended the handshake because of an error of its own: often it has no certificate yet.',
  'authority-cannot-sign':
    'The caBundle contains a certificate of this name that is not a CA, or another CA of the same name signed the serving certificate.',
  'backend-request-failed':
    'The webhook server returned 500, because a request of its own to the API server failed with the error in the text. If it calls an API that this cluster does not serve, its program is of an older release than the cluster.',
  'patch-not-allowed':
    'The webhook returned a patch for an operation whose object cannot be changed, such as DELETE or CONNECT.',
  'connection-reset':
    'An open connection was reset before the response was complete. The Pod starts or stops, a sidecar or a device on the way closed it, or it was idle for too long.',
  'patched-object-unreadable':
    'The patch of a mutating webhook is not valid JSON, or sets a field of the object to a value of another type. The text does not name the webhook.',
  'patched-namespace':
    'The object is for another namespace than the request. The client sent it so, or the patch of a mutating webhook changed `metadata.namespace`. The text does not name the webhook.',
  'denied-by-mesh':
    'The Envoy proxy of a service mesh refuses the call: no AuthorizationPolicy allows the API server, which has no identity in the mesh.',
  'extension-server-refuses':
    'The extension API server, or a proxy before it, refuses kube-apiserver. It does not accept its client certificate, or cannot read the ConfigMap `extension-apiserver-authentication` (RoleBinding missing).',
  'no-upstream':
    'An Envoy proxy in front of the webhook server, usually of a service mesh, cannot connect to the server behind it.',
  'regenerated-authority':
    'The caBundle contains a CA of this name with another key. The CA was replaced, but the caBundle or the serving process was not updated, or each replica created a CA of its own.',
};

/** The meaning of a cause, in one to four sentences: that of its symptom, if it has one; undefined for `other`. */
export const meaningOf = ({ kind, symptom }: Pick<CallCause, 'kind' | 'symptom'>): string | undefined =>
  kind === 'other' ? undefined : (symptoms[symptom] ?? errorTexts[kind].means);
