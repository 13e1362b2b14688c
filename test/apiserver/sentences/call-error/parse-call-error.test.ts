import { expect } from 'chai';
import { parseCallError } from '../../../../src/apiserver/sentences/call-error/parse-call-error.ts';

const call = (cause: string): string =>
  `Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: ${cause}`;
const post = (cause: string): string =>
  call(`Post "https://policy.shop.svc:443/validate?timeout=10s": ${cause}`);

describe('parseCallError', () => {
  it('returns the parts of a call failure', () => {
    expect(parseCallError(`Error from server (InternalError): ${post('EOF')}`)).to.deep.include({
      kind: 'call-failure',
      webhook: 'policy.example.com',
      service: { namespace: 'shop', name: 'policy' },
      port: 443,
      path: '/validate',
      timeoutSeconds: 10,
    });
  });

  // Titles of threads and Events are truncated.
  for (const [cut, kind] of [
    ['service "policy-web', 'service-missing'],
    ['context deadl', 'deadline'],
    ['context deadline exce...', 'deadline'],
    ['dial tcp 203.0.113.10:443: connect: connection re', 'connection-refused'],
    ['dial tcp 203.0.113.10:443: connect: no…', 'no-route'],
    ['dial tcp 203.0.113.10:443: connect: n…', 'other'],
    ['Address is not al', 'address-not-allowed'],
    ['x509: certificate signed by unk', 'unknown-authority'],
    ['no endpoints avail', 'no-endpoints'],
    ['dial tcp 203.0.113.10:443: connect:', 'other'],
    ['x509: certificate', 'certificate-other'],
  ] as const)
    it(`completes "${cut}" if only one end is possible: ${kind}`, () =>
      expect(parseCallError(post(cut))?.cause?.kind).to.equal(kind));

  it('recognizes a status text after a URL as the response of a proxy, with and without the method', () => {
    for (const text of ['Forbidden', 'Tunnel or SSL Forbidden'])
      for (const method of ['', 'Post '])
        expect(
          parseCallError(
            `failed calling webhook "a.b": ${method}https://policy.shop.svc:443/v?timeout=5s: ${text}`,
          )?.cause?.kind,
        ).to.equal('proxy');
  });

  // The end of an error (Kubernetes 1.35.4 and Go), its kind, and its fields.
  const causes: readonly (readonly [string, string, object?])[] = [
    ['service "policy" not found', 'service-missing', { service: 'policy' }],
    ['no service port 444 found for service "policy"', 'port-missing', { service: 'policy', port: 444 }],
    ['no endpoints available for service "policy"', 'no-endpoints', { service: 'policy' }],
    ['endpoints "policy" not found', 'no-endpoints', { service: 'policy' }],
    ['cannot route to service with ClusterIP "None"', 'headless'],
    ['unsupported service type "ExternalName"', 'external-name'],
    [
      'dial tcp 203.0.113.10:443: connect: connection refused',
      'connection-refused',
      { address: '203.0.113.10', port: 443 },
    ],
    [
      'dial tcp [2001:db8::7]:8443: connect: connection refused',
      'connection-refused',
      { address: '2001:db8::7', port: 8443 },
    ],
    ['dial tcp 203.0.113.10:443: connect: no route to host', 'no-route', { address: '203.0.113.10' }],
    ['dial tcp 203.0.113.10:443: connect: operation not permitted', 'not-permitted'],
    ['dial tcp 203.0.113.10:443: connect: network is unreachable', 'network-unreachable'],
    ['dial tcp 203.0.113.10:443: i/o timeout', 'connect-timeout', { address: '203.0.113.10' }],
    [
      'dial tcp: lookup h.example on 192.0.2.53:53: no such host',
      'dns',
      { host: 'h.example', resolver: '192.0.2.53:53' },
    ],
    ['dial tcp: lookup h.example on 192.0.2.53:53: read udp 192.0.2.1:4->192.0.2.53:53: i/o timeout', 'dns'],
    ['dial tcp: lookup h.example: no such host', 'dns', { host: 'h.example' }],
    ['context deadline exceeded', 'deadline'],
    ['context deadline exceeded (Client.Timeout exceeded while awaiting headers)', 'deadline'],
    [
      'net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      'deadline',
    ],
    [
      'unexpected error when reading response body. Please retry. Original error: context deadline exceeded',
      'deadline',
      { symptom: 'body-timeout' },
    ],
    [
      'unexpected error when reading response body. Please retry. Original error: gzip: invalid header',
      'response-invalid',
      { symptom: 'body-not-decompressed' },
    ],
    ['context canceled', 'canceled'],
    ['net/http: TLS handshake timeout', 'handshake-timeout'],
    ['EOF', 'connection-closed'],
    [
      'read tcp 192.0.2.1:5000->198.51.100.7:8443: read: connection reset by peer',
      'connection-closed',
      { address: '198.51.100.7', port: 8443 },
    ],
    ['http: server closed idle connection', 'connection-closed'],
    ['http: server gave HTTP response to HTTPS client', 'plain-http'],
    ['tls: first record does not look like a TLS handshake', 'not-tls'],
    ['net/http: HTTP/1.x transport connection broken: malformed HTTP response "\\x00\\x00"', 'not-http'],
    [
      'http2: failed reading the frame payload: %!w(<nil>), note that the frame header looked like an HTTP/1.1 header',
      'not-http',
    ],
    ['proxyconnect tcp: dial tcp 192.0.2.7:3128: connect: connection refused', 'proxy'],
    ['Forbidden', 'proxy'],
    ['Service Unavailable', 'proxy'],
    ['Address is not allowed', 'address-not-allowed'],
    ['No agent available', 'tunnel'],
    [
      'proxy error from 127.0.0.1:8090 while dialing 198.51.100.7:8443, code 503: 503 Service Unavailable',
      'tunnel',
    ],
    ['stopped after 10 redirects', 'redirects'],
    ['tls: failed to verify certificate: x509: certificate signed by unknown authority', 'unknown-authority'],
    [
      'x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "policy-ca")',
      'unknown-authority',
      { hint: 'crypto/rsa: verification error', authority: 'policy-ca' },
    ],
    [
      'tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is after 2025-12-01T00:00:00Z',
      'expired',
      { bound: '2025-12-01T00:00:00Z' },
    ],
    [
      'x509: certificate has expired or is not yet valid: current time 2026-01-01T00:00:00Z is before 2026-02-01T00:00:00Z',
      'not-yet-valid',
      { bound: '2026-02-01T00:00:00Z' },
    ],
    [
      'x509: certificate is valid for a.shop.svc, b.shop.svc, not policy.shop.svc',
      'name-mismatch',
      { names: ['a.shop.svc', 'b.shop.svc'], wanted: 'policy.shop.svc' },
    ],
    [
      'x509: certificate is not valid for any names, but wanted to match policy.shop.svc',
      'name-mismatch',
      { wanted: 'policy.shop.svc' },
    ],
    [
      "x509: cannot validate certificate for 192.0.2.7 because it doesn't contain any IP SANs",
      'name-mismatch',
      { wanted: '192.0.2.7' },
    ],
    ['x509: certificate relies on legacy Common Name field, use SANs instead', 'legacy-common-name'],
    ['x509: certificate specifies an incompatible key usage', 'wrong-usage'],
    ['x509: too many intermediates for path length constraint', 'ca-not-allowed'],
    [
      'x509: a root or intermediate certificate is not authorized to sign for this name: DNS name "h" is not permitted by any constraint',
      'name-constraint',
    ],
    ['x509: unhandled critical extension', 'critical-extension'],
    [
      'tls: invalid signature by the server certificate: crypto/rsa: 768-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)',
      'weak-key',
    ],
    ['tls: failed to parse certificate from server: x509: negative serial number', 'certificate-malformed'],
    ['remote error: tls: unrecognized name', 'tls-alert', { alert: 'unrecognized name' }],
  ];
  for (const [words, kind, fields = {}] of causes) {
    it(`${kind}: ${words.slice(0, 70)}`, () => {
      expect(parseCallError(post(words))?.cause).to.deep.include({ kind, text: words, ...fields });
    });
  }

  const answers: readonly (readonly [string, string])[] = [
    ['the server could not find the requested resource', 'path-not-found'],
    ['the server is currently unable to handle the request', 'unavailable'],
    ['the server has asked for the client to provide credentials', 'unauthorized'],
    ['RBAC: access denied', 'unauthorized'],
    ['an error on the server ("boom") has prevented the request from succeeding', 'http-error'],
    // The error of another request, in the body of the response.
    [
      'an error on the server ("Internal Server Error: \\"/apis/a/v1/b\\": the server could not find the requested resource") has prevented the request from succeeding',
      'http-error',
    ],
    [
      'an error on the server ("the server is currently unable to handle the request") has prevented the request from succeeding',
      'http-error',
    ],
    ['0-length response with status code: 200 and content type: ', 'response-invalid'],
  ];
  for (const [words, kind] of answers) {
    it(`answer, ${kind}: ${words.slice(0, 60)}`, () => {
      expect(parseCallError(call(words))?.cause?.kind).to.equal(kind);
    });
  }

  const stages: readonly (readonly [string, string])[] = [
    [
      'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
      'ca-bundle-invalid',
    ],
    [
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      'review-versions',
    ],
    ['received invalid webhook response: expected response.uid="a", got "b"', 'response-invalid'],
    ['received undecodable patch in webhook response: unexpected end of JSON input', 'patch-invalid'],
    ['Webhook SideEffects is nil', 'side-effects'],
  ];
  for (const [words, kind] of stages) {
    it(`stage, ${kind}`, () => {
      const text = `Internal error occurred: failed calling webhook "policy.example.com": ${words}`;
      expect(parseCallError(text)).to.deep.include({ kind: 'call-failure', webhook: 'policy.example.com' });
      expect(parseCallError(text)?.cause?.kind).to.equal(kind);
    });
  }

  // The same failure in the formats of clients and logs.
  const wrappings: readonly string[] = [
    `Error creating: ${post('EOF')}`,
    `create Pod web-0 in StatefulSet web failed error: ${post('EOF')}`,
    `Error from server (InternalError): error when creating "pod.yaml": ${post('EOF')}`,
    `W1122 10:00:00.000000       1 dispatcher.go:217] Failed calling webhook, failing closed policy.example.com: ${post('EOF').slice('Internal error occurred: '.length)}`,
    `level=error err="${post('EOF').replaceAll('"', '\\"')}"`,
    post('EOF').replaceAll('"', ''),
    'failed calling webhook "policy.example.com": Post https://policy.shop.svc:443/validate?timeout=10s: EOF',
    'failed calling admission webhook "policy.example.com": Post https://policy.shop.svc:443/validate?timeout=10s: EOF',
  ];
  for (const text of wrappings) {
    it(`parses ${text.slice(0, 60)}…`, () => {
      const parsed = parseCallError(text);
      expect(parsed).to.deep.include({
        kind: 'call-failure',
        webhook: 'policy.example.com',
        path: '/validate',
      });
      expect(parsed?.cause?.kind).to.equal('connection-closed');
    });
  }

  it('finds the error of a request of the backend only at the end of the body', () => {
    const symptom = (words: string) => parseCallError(call(words))?.cause?.symptom;
    const body = (words: string) => symptom(`an error on the server (${words}) has prevented the request`);
    expect(body('"the server could not find the requested resource (post a.example.com)"')).to.equal(
      'backend-request-failed',
    );
    expect(body('"the server could not find the requested resource (get b.example.com one)"')).to.equal(
      'backend-request-failed',
    );
    expect(body('"a \\"/apis/b\\": pods is forbidden: User \\"c\\" cannot list"')).to.equal(
      'backend-not-authorized',
    );
    const page = '"<p>The server is currently unable to handle the request due to maintenance.</p>"';
    expect(body(page)).to.not.equal('backend-request-failed');
    const later = (words: string) =>
      symptom(`an error on the server ("") has prevented the request; Error from server: ${words}`);
    expect(later('the server could not find the requested resource')).to.not.equal('backend-request-failed');
    expect(later('pods is forbidden: User "c" cannot list')).to.not.equal('backend-not-authorized');
  });

  it('recognizes a call that failed open', () => {
    const log =
      'Failed calling webhook, failing open policy.example.com: failed calling webhook "policy.example.com": EOF';
    expect(parseCallError(log)).to.deep.include({ failedOpen: true, webhook: 'policy.example.com' });
  });

  const kinds: readonly (readonly [string, object])[] = [
    [
      'admission webhook "denied-registries.example.com" denied the request: no',
      { kind: 'denial', webhook: 'denied-registries.example.com', message: 'no' },
    ],
    [
      'admission webhook "policy.example.com" denied the request: no',
      { kind: 'denial', webhook: 'policy.example.com', message: 'no' },
    ],
    [
      'admission webhook "policy.example.com" denied the request without explanation',
      { kind: 'denial', webhook: 'policy.example.com' },
    ],
    [
      'admission webhook "a.example.com" denied the request: failed calling webhook "b.example.com": EOF',
      { kind: 'denial', webhook: 'a.example.com' },
    ],
    [
      'failed calling webhook "b.example.com": an error on the server ("admission webhook \\"a\\" denied the request: no") has prevented the request from succeeding',
      { kind: 'call-failure', webhook: 'b.example.com' },
    ],
    [
      'admission webhook "policy.example.com" does not support dry run',
      { kind: 'dry-run-refused', webhook: 'policy.example.com' },
    ],
    [
      `configmaps "probe" is forbidden: expression 'object.x == 1' resulted in error: no such key: x`,
      { kind: 'match-condition' },
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://policy.shop.svc:443/convert?timeout=30s": service "policy" not found',
      { kind: 'conversion', groupVersion: 'example.com/v1', objectKind: 'Widget', timeoutSeconds: 30 },
    ],
    [
      'conversion webhook for example.com/v1, Kind=Widget returned 1 objects, expected 2',
      { kind: 'conversion', groupVersion: 'example.com/v1' },
    ],
    [
      'failing or missing response from https://203.0.113.9:443/apis/metrics.example.com/v1beta1: Get "https://203.0.113.9:443/apis/metrics.example.com/v1beta1": dial tcp 203.0.113.9:443: connect: connection refused',
      { kind: 'apiservice', groupVersion: 'metrics.example.com/v1beta1', host: '203.0.113.9', port: 443 },
    ],
    ['service/policy in "shop" is not present', { kind: 'apiservice' }],
    [
      'endpointslices for service/policy in "shop" have no addresses with port name "https"',
      { kind: 'apiservice' },
    ],
    [
      'Timeout: request did not complete within requested timeout - context deadline exceeded',
      { kind: 'timeout-504' },
    ],
    [
      'Internal error occurred: jsonpatch add operation does not apply: doc is missing path: "/spec/x": missing value',
      { kind: 'internal' },
    ],
  ];
  for (const [text, fields] of kinds) {
    it(`is a ${(fields as { kind: string }).kind}: ${text.slice(0, 60)}…`, () => {
      expect(parseCallError(text)).to.deep.include(fields);
    });
  }

  for (const [host, symptom] of [
    ['policy.example.com', 'url-not-reached'],
    ['Policy.Example.com', 'url-not-reached'],
    ['localhost', 'url-not-reached'],
    ['policy.shop.svc', 'connection-refused'],
    ['Policy.Shop.svc', 'connection-refused'],
    ['SERVICE.NAMESPACE', 'connection-refused'],
    ['policy.XXX', 'connection-refused'],
    ['policy...svc', 'connection-refused'],
  ] as const)
    it(`is ${symptom}: a refused connection to ${host}`, () => {
      const refused = 'dial tcp 203.0.113.10:443: connect: connection refused';
      const error = parseCallError(call(`Post "https://${host}/validate?timeout=10s": ${refused}`));
      expect(error?.cause?.symptom).to.equal(symptom);
    });

  const others: readonly string[] = [
    '',
    'Readiness probe failed: Get "https://198.51.100.7:8443/ready": dial tcp 198.51.100.7:8443: connect: connection refused',
    'Failed to pull image "x": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    'MountVolume.SetUp failed for volume "certs" : secret "policy-tls" not found',
    '0/3 nodes are available: 3 Insufficient cpu.',
    'http: TLS handshake error from 192.0.2.1:5000: remote error: tls: bad certificate',
    'pods "web" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
    'Back-off restarting failed container webhook in pod policy-1',
  ];
  for (const text of others) {
    it(`ignores: ${text.slice(0, 60)}`, () => {
      expect(parseCallError(text)).to.equal(undefined);
    });
  }
});
