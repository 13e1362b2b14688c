import type { CallCause } from './call-error.ts';
import { type CausePattern, ends } from './cause-pattern.ts';
import { otherTrustCause, trustCauses } from './trust-causes.ts';

/** Invalid responses: webhook/request/admissionreview.go, errors NewGenericServerResponse. */
const responseCauses = [
  // could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)
  ends(
    'review-versions',
    /does not accept known AdmissionReview versions|no supported conversion review versions/,
  ),
  // Webhook SideEffects is nil
  ends('side-effects', /Webhook SideEffects is nil/),
  // received undecodable patch in webhook response: …; illegal base64 data at input byte 0: `response.patch` as
  // plain JSON; add operation does not apply: doc is missing path: "/metadata/annotations/x": missing value
  ends(
    'patch-invalid',
    /undecodable patch|unsupported patch type|response\.patch(?:Type)?\b|^illegal base64 data at input byte|^(?:jsonpatch )?(?:add|remove|replace|move|copy|test) operation does not apply: |^Unexpected kind: /,
  ),
  // Internal error occurred: invalid character ',' after top-level value (a patch, before 1.34); json: cannot
  // unmarshal …
  ends(
    'patch-invalid',
    /^Internal error occurred: (?:json: cannot unmarshal|invalid character ['"]|unexpected end of JSON input|v\d\w*\.[A-Z]\w+\.[A-Z])/,
    'patched-object-unreadable',
  ),
  // the namespace of the provided object does not match the namespace sent on the request
  ends(
    'patch-invalid',
    /the namespace of the (?:provided )?object does not match the namespace (?:sent )?on the request/,
    'patched-namespace',
  ),
  // attempted to modify the object, which is not supported for this operation
  ends('patch-invalid', /attempted to modify the object/, 'patch-not-allowed'),
  // json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool; a
  // field of a spec or status was decoded by a conversion webhook, not by the API server
  ends(
    'response-invalid',
    /^(?:json: cannot unmarshal (?!.*Go struct field \w+\.(?:spec|status)\b)|unexpected end of JSON input|yaml: |error converting YAML to JSON: |invalid character ['"]|(?:Internal error occurred: )?mime: |unexpected GroupVersion string: )/,
    'undecodable-answer',
  ),
  // 0-length response with status code: 200 and content type: application/json
  ends('response-invalid', /0-length response|response was absent|no response provided/, 'empty-answer'),
  // converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion
  ends(
    'response-invalid',
    /expected webhook response of|Review\): unknown conversion|no kind "(?:\w+Review|\w+" is registered for version "(?:admission\.k8s\.io\/)?v\d)|invalid groupVersion/i,
    'answer-of-other-version',
  ),
  // received invalid webhook response: expected response.uid="a", got "b"
  ends('response-invalid', /expected response\.uid/, 'answer-with-other-uid'),
  // received invalid webhook response: webhook returned invalid …
  ends(
    'response-invalid',
    /invalid webhook response|couldn't get version\/kind|response\.result\.status was|returned invalid/,
  ),
  // returned 0 objects, expected 1
  ends('response-invalid', /returned \d+ objects, expected/, 'conversion-refused'),
  // 500 with a Status as its body: the backend itself was denied a request
  ends('http-error', /an error on the server \((?:(?!"\)).)*is forbidden: User /, 'backend-not-authorized'),
  // 500 of a server whose own request to the API server failed: "Internal Server Error: \"/apis/…\": the server could
  // not find the requested resource (post subjectaccessreviews.authorization.k8s.io)", at the end of its body
  ends(
    'http-error',
    /an error on the server \((?:(?!"\)).)*the server (?:could not find the requested resource|is currently unable to handle the request)(?: \(\w+ [^)]+\))?\\*"?\)/,
    'backend-request-failed',
  ),
  // 404: the server could not find the requested resource
  ends(
    'path-not-found',
    /the server could not find the requested resource|404 page not found|bad status from \S+?: ?(?<badStatus>404)/,
  ),
  // 405: the server does not allow this method on the requested resource
  ends('http-error', /the server does not allow this method/, 'method-not-allowed'),
  // bad status from https://192.0.2.7:443/apis/metrics.k8s.io/v1beta1: 403: only of an APIService
  ends('unauthorized', /bad status from \S+?: ?(?<badStatus>40[13])/, 'extension-server-refuses'),
  // 401: the server has asked for the client to provide credentials
  ends('unauthorized', /the server has asked for the client to provide credentials|^Unauthorized\b/),
  // 403 of Envoy: RBAC: access denied
  ends('unauthorized', /RBAC: access denied/, 'denied-by-mesh'),
  // 500 or 502 of Envoy, whose 503 and 504 the API server reports without their body
  ends(
    'http-error',
    /upstream connect error|no healthy upstream|upstream request timeout|\bno_healthy_upstream\b/,
    'no-upstream',
  ),
  // 403 with a text body
  ends('unauthorized', /(?<!\()\bForbidden\b(?!:)/, 'forbidden'),
  // 503: the server is currently unable to handle the request
  ends(
    'unavailable',
    /currently unable to handle the request|service unavailable|bad status from \S+?: ?(?<badStatus>503)/i,
  ),
  // 504: the server was unable to return a response in the time allotted, but may still be processing the
  // request
  ends(
    'unavailable',
    /unable to return a response in the time allotted|gateway time-?out/i,
    'gateway-timeout',
  ),
  // 500: an error on the server ("…") has prevented the request from succeeding
  ends(
    'http-error',
    /an error on the server (?:\(|has prevented)|responded with the status code (?<status>\d+)|bad status from \S+?: ?(?<badStatus>\d{3})\b(?!\/)|the server rejected our request|the server has received too many requests|the server reported a conflict|invalid Content-Type|unable to respond with a content type|the request was in an unknown format|entity too large|request body too large|Bad Gateway|Unable to connect/,
  ),
  // ValidatingAdmissionWebhook/policy.example.com has panicked: …
  ends('panic', /has panicked|Panic calling webhook/),
] as const;

/** Errors of Go's net and net/http, and of proxies between the API server and the Pod. */
const networkCauses = [
  // dial tcp: lookup policy.example.com on 127.0.0.1:53: no such host
  ends(
    'dns',
    /lookup (?<host>(?![^\s:]*\.(?:svc|local|internal)\b)[^\s:.]+\.[^\s:]+)(?: on (?<resolver>\S+?))?: (?:no such host|server misbehaving|Temporary failure|Try again|no address|device or resource|.*(?:i\/o timeout|refused|unreachable|cannot assign))/,
    'url-host-unknown',
  ),
  // dial tcp: lookup policy.shop.svc on 127.0.0.1:53: no such host
  ends(
    'dns',
    /lookup (?<host>[^\s:]+)(?: on (?<resolver>\S+?))?: (?:no such host|server misbehaving|Temporary failure|Try again|no address|device or resource|.*(?:i\/o timeout|refused|unreachable|cannot assign))/,
  ),
  // unexpected error when reading response body. Please retry. Original error: context deadline exceeded
  ends('deadline', /when reading response body\b.*deadline exceeded/, 'body-timeout'),
  // unexpected error when reading response body. Please retry. Original error: gzip: invalid header
  ends('response-invalid', /when reading response body\b.*\bgzip: /, 'body-not-decompressed'),
  // proxyconnect tcp: dial tcp 192.0.2.7:3128: connect: connection refused
  ends(
    'proxy',
    /proxyconnect tcp|Proxy Authentication Required|socks connect |\bfrom proxy after CONNECT|CONNECT tunnel failed/,
  ),
  // proxy error from 127.0.0.1:9345 while dialing 198.51.100.7:8443, code 504: 504 Gateway Timeout
  ends(
    'tunnel',
    /proxy error from \S+ while dialing .*code 504|timed out waiting for backend dial/,
    'tunnel-timeout',
  ),
  // ssh: rejected: connect failed (Connection refused)
  ends('tunnel', /ssh: rejected: connect failed \(Connection refused/, 'tunnel-refused'),
  // proxy error from 127.0.0.1:8090 while dialing 198.51.100.7:8443, code 503: 503 Service Unavailable
  ends(
    'tunnel',
    /No (?:agent|backend) available|dial timeout, (?:backstop|context)|tunnel closed|unix @?->\/\S*(?:socket|konnectivity)\S*: |dial unix \S|rpc error: code = Unavailable|ssh: rejected: |proxy error from \S+ while dialing|reading HTTP response from CONNECT/,
  ),
  // dial tcp 203.0.113.10:443: connect: connection refused (before Go 1.11 getsockopt: connection refused)
  ends('connection-refused', /connection refused/),
  // dial tcp 203.0.113.10:443: connect: no route to host
  ends('no-route', /no route to host|host is down/),
  ends('not-permitted', /operation not permitted|connect: permission denied/),
  ends(
    'network-unreachable',
    /network is (?:unreachable|down)|\bdial \w+ \[.*cannot assign requested address/,
  ),
  // net/http: TLS handshake timeout
  ends('handshake-timeout', /TLS handshake timeout/),
  // read tcp 192.0.2.1:4321->203.0.113.10:443: i/o timeout
  ends('deadline', /\bread tcp \S+: i\/o timeout/, 'response-timeout'),
  // dial tcp 203.0.113.10:443: i/o timeout
  ends('connect-timeout', /i\/o timeout|connection timed out|operation timed out/),
  // net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)
  ends('deadline', /request canceled while waiting for connection/, 'connect-timeout'),
  // net/http: request canceled (Client.Timeout exceeded while awaiting headers): the connection was
  // established
  ends('deadline', /request canceled \(Client\.Timeout exceeded/, 'response-timeout'),
  // context deadline exceeded
  ends('deadline', /\bdeadline exceeded|Client\.Timeout exceeded/),
  // context canceled: the client closed the request
  ends('canceled', /context canceled|request canceled(?! w[\w ]*$)/),
  // http: server gave HTTP response to HTTPS client
  ends('plain-http', /server gave HTTP response to HTTPS client/),
  // tls: first record does not look like a TLS handshake
  ends(
    'not-tls',
    /first record does not look like a TLS handshake|oversized record|unsupported SSLv2 handshake/,
  ),
  // net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x00\x00…"
  // http2: failed reading the frame payload: http2: frame too large, note that the frame header looked like an
  // HTTP/1.1 header; the cause is %!w(<nil>) in 1.33.13.
  ends(
    'not-http',
    /malformed (?:HTTP (?:response|status code|version)|MIME header)|http2: frame too large|frame header looked like an HTTP\/1\.1 header/,
  ),
  // Address is not allowed (Amazon EKS, not an error of Kubernetes)
  ends('address-not-allowed', /Address is not allowed/i),
  // stopped after 10 redirects
  ends('redirects', /stopped after 10 redirects/),
  // read tcp 192.0.2.1:5000->198.51.100.7:8443: read: connection reset by peer
  ends('connection-closed', /connection reset by peer|broken pipe/, 'connection-reset'),
  // EOF
  ends(
    'connection-closed',
    /\bEOF\b|server closed idle connection|use of closed network connection|transport connection broken|stream error: stream ID|connection error: [A-Z_]+$|\bGOAWAY\b|http2: (?:client connection|no cached connection|response body closed)|unexpected error when reading response body/,
  ),
] as const;

/** Errors of the Service resolver: apiserver/pkg/util/proxy/proxy.go and client-go's listers. */
const resolverCauses = [
  // service "policy" not found
  ends('service-missing', /\b[Ss]ervice (?:["':]\s?)?(?<service>[\w.{}<>$*-]+)["':]? not found/),
  // no service port 443 found for service "policy"; 'ƻ': before 1.20 the number is printed as a character
  ends(
    'port-missing',
    /no service port (?:(?<port>\d+)|'(?<portCharacter>.)') found(?: for service "?(?<service>[a-z0-9.-]+)"?)?/u,
  ),
  // no endpoints available for service "policy"
  ends('no-endpoints', /no endpoints available for service "?(?<service>[\w.:{}<>$*-]+)"?/i),
  // Up to 1.33: endpoints "policy" not found
  ends('no-endpoints', /\bendpoints "?(?<service>[a-z0-9.-]+)"? not found/),
  // cannot route to service with ClusterIP "None"
  ends('headless', /cannot route to service with ClusterIP "?None"?/),
  // unsupported service type "ExternalName"
  ends('external-name', /unsupported service type "?\w+"?/),
] as const;

const causes: readonly CausePattern[] = [
  ...trustCauses,
  ...resolverCauses,
  ...networkCauses,
  ...responseCauses,
  otherTrustCause,
];

/** `dial tcp [2001:db8::1]:443`, `read tcp 192.0.2.1:5000->198.51.100.7:8443`: the remote address. */
const farEnd = /(?:dial tcp |->)(?:\[(?<ip6>[0-9a-fA-F:.%\w]+)\]|(?<ip>[^\s:[\]]+)):(?<port>\d+)/;

function addressIn(text: string): Pick<CallCause, 'address' | 'port'> {
  const groups = farEnd.exec(text)?.groups;
  if (groups === undefined) return {};
  return { address: groups.ip6 ?? groups.ip ?? '', port: Number(groups.port) };
}

const textFields = ['service', 'host', 'resolver', 'wanted', 'hint', 'authority', 'bound', 'alert'] as const;

function fieldsOf(groups: Readonly<Record<string, string | undefined>>): Partial<CallCause> {
  const status = groups.status ?? groups.badStatus;
  const texts = textFields.flatMap((name) => {
    const value = groups[name]?.trim();
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(texts),
    ...(groups.port === undefined ? {} : { port: Number(groups.port) }),
    ...(groups.portCharacter === undefined ? {} : { port: groups.portCharacter.codePointAt(0) }),
    ...(groups.names === undefined ? {} : { names: groups.names.split(', ') }),
    ...(status === undefined ? {} : { status: Number(status) }),
  };
}

function firstIn(text: string): (CausePattern & { readonly found: RegExpExecArray }) | undefined {
  for (const one of causes) {
    const found = one.pattern.exec(text);
    if (found !== null) return { ...one, found };
  }
  return undefined;
}

/** The cause of a failed call in a text; undefined if none is recognized. */
export function findCause(text: string): CallCause | undefined {
  const { kind, symptom, found } = firstIn(text) ?? {};
  if (kind === undefined || symptom === undefined) return undefined;
  return { kind, symptom, text, ...addressIn(text), ...fieldsOf(found?.groups ?? {}) };
}

/** The offset at which the recognized cause starts in a text; 0 if there is none. */
export const startOfCause = (text: string): number => firstIn(text)?.found.index ?? 0;
