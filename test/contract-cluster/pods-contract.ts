import { expect } from 'chai';
import type { Answer, Caller, ContractCluster, Forwarded } from './cluster.ts';
import { home } from './pods.ts';

const inHome = `/api/v1/namespaces/${home}`;

/** Replaces the parts that differ between runs: addresses, ids, times, ports of callers. */
const settled = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{64}\b/g, 'SANDBOX')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/198\.51\.100\.\d+:(8443|9999)/g, 'POD:$1')
    .replace(/203\.0\.113\.\d+:/g, 'SERVICE:')
    .replace(/read tcp(4?) [\d.]+:\d+->/g, 'read tcp$1 CALLER->');

const detail = ({ status, json, text }: Answer) => {
  const { message, reason, kind } = (json ?? {}) as { message?: string; reason?: string; kind?: string };
  return kind === 'Status'
    ? [status, reason ?? '', settled(message ?? '')].join(' ')
    : `${status} ${settled(text)}`;
};

const unavailable = (message: string): string => `503 ServiceUnavailable ${message}`;
const failed = (words: string): string => unavailable(`error trying to reach service: ${words}`);

/** Path below the namespace, and the response. */
const proxied: readonly (readonly [string, string])[] = [
  ['pods/https:sound:8443/proxy/readyz', '200 ok'],
  ['pods/https:sound:8443/proxy/', '400 not a review'],
  ['pods/https:on-loopback:8443/proxy/readyz', failed('dial tcp POD:8443: connect: connection refused')],
  ['pods/https:sound:9999/proxy/readyz', failed('dial tcp POD:9999: connect: connection refused')],
  ['pods/https:plain-http:8443/proxy/readyz', failed('tls: first record does not look like a TLS handshake')],
  ['pods/plain-http:8443/proxy/readyz', '200 ok'],
  ['pods/http:plain-http:8443/proxy/readyz', '200 ok'],
  ['pods/https:closes-tls:8443/proxy/readyz', failed('EOF')],
  [
    'pods/https:resets-tls:8443/proxy/readyz',
    failed('read tcp CALLER->POD:8443: read: connection reset by peer'),
  ],
  ['pods/https:closes-http:8443/proxy/validate', failed('EOF')],
  ['pods/https:old-tls:8443/proxy/readyz', failed('remote error: tls: protocol version not supported')],
  ['pods/https:demands-certificate:8443/proxy/readyz', failed('remote error: tls: certificate required')],
  ['pods/https:expired:8443/proxy/readyz', '200 ok'],
  ['pods/https:another-name:8443/proxy/readyz', '200 ok'],
  ['pods/https:breaks:8443/proxy/validate', '500 boom'],
  ['pods/https:redirects:8443/proxy/validate', '302 '],
  ['pods/https:sound:8443/proxy', '301 '],
  ['pods/https:sound/proxy/readyz', '404 NotFound pods "https" not found'],
  ['pods/https:none:8443/proxy/readyz', '404 NotFound pods "none" not found'],
  ['pods/ftp:sound:8443/proxy/readyz', '400 BadRequest invalid pod request "ftp:sound:8443"'],
  ['pods/https:sound:70000/proxy/readyz', failed('dial tcp: address 70000: invalid port')],
  ['pods/https:no-node:8443/proxy/readyz', '400 BadRequest address not allowed'],
  ['pods/https:no-sandbox:8443/proxy/readyz', '400 BadRequest address not allowed'],
  ['pods/https:no-image:8443/proxy/readyz', failed('dial tcp POD:8443: connect: connection refused')],
];

const refusedBy = (port: number): string =>
  `error forwarding port ${port} to pod SANDBOX, uid : failed to execute portforward in network namespace "/var/run/netns/cni-UUID": failed to connect to localhost:${port} inside namespace "SANDBOX", IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6: address localhost: no suitable address found `;

/** Path below pods/, and the message on the error channel. */
const forwardingErrors: readonly (readonly [string, string])[] = [
  ['sound/portforward?ports=9999', refusedBy(9999)],
  ['no-image/portforward?ports=8443', refusedBy(8443)],
  [
    'resets-tls/portforward?ports=8443',
    'error forwarding port 8443 to pod SANDBOX, uid : failed to execute portforward in network namespace "/var/run/netns/cni-UUID": read tcp4 CALLER->127.0.0.1:8443: read: connection reset by peer',
  ],
];

/** Path below pods/, the caller, and the response instead of a WebSocket. */
const refusals: readonly (readonly [string, Caller, string])[] = [
  ['none/portforward?ports=8443', 'admin', '404 NotFound pods "none" not found'],
  ['no-node/portforward?ports=8443', 'admin', '400 BadRequest pod no-node does not have a host assigned'],
  ['no-sandbox/portforward?ports=8443', 'admin', `500 pod not found ("no-sandbox_${home}")`],
  ['sound/portforward', 'admin', '400 query parameter "port" is required'],
  ['sound/portforward?ports=0', 'admin', '400 port "0" must be > 0'],
  [
    'sound/portforward?ports=abc',
    'admin',
    '400 BadRequest cannot convert to []int32: strconv.ParseUint: parsing "abc": invalid syntax',
  ],
  [
    'sound/portforward?ports=70000',
    'admin',
    '400 BadRequest cannot convert to []int32: strconv.ParseUint: parsing "70000": value out of range',
  ],
  [
    'sound/portforward?ports=8443',
    'nobody',
    `403 Forbidden pods "sound" is forbidden: User "system:anonymous" cannot get resource "pods/portforward" in API group "" in the namespace "${home}"`,
  ],
  ['sound/portforward?ports=8443', 'reader', '403 Forbidden pods "sound" is forbidden: '],
];

const callFailed = (name: string, words: string): string =>
  `500 InternalError Internal error occurred: failed calling webhook "${name}.ways.example.com": ${words}`;
const post = (name: string, service: string, words: string): string =>
  callFailed(
    name,
    `failed to call webhook: Post "https://${service}.ways.svc:443/validate?timeout=${name === 'hangs-http' ? 2 : 20}s": ${words}`,
  );
const dialled = (name: string, words: string): string => post(name, name, words);
const x509 = (name: string, words: string): string =>
  dialled(name, `tls: failed to verify certificate: x509: ${words}`);

/** The webhook that a ConfigMap selects, and the API server's response to a dry run of it. */
const dryRuns: readonly (readonly [string, string])[] = [
  ['nobody', '201'],
  ['sound', '201'],
  ['nothing-behind', '201'],
  ['denies', '403  admission webhook "denies.ways.example.com" denied the request: not on a Sunday'],
  [
    'not-found',
    callFailed('not-found', 'failed to call webhook: the server could not find the requested resource'),
  ],
  [
    'breaks',
    callFailed(
      'breaks',
      'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
    ),
  ],
  [
    'trailing-slash',
    callFailed(
      'trailing-slash',
      'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
    ),
  ],
  [
    'says-nothing',
    callFailed(
      'says-nothing',
      'failed to call webhook: 0-length response with status code: 200 and content type: text/plain',
    ),
  ],
  [
    'no-response',
    callFailed('no-response', 'received invalid webhook response: webhook response was absent'),
  ],
  [
    'wrong-uid',
    callFailed('wrong-uid', 'received invalid webhook response: expected response.uid="UUID", got "UUID"'),
  ],
  ['on-loopback', dialled('on-loopback', 'dial tcp SERVICE:443: connect: connection refused')],
  ['closed-port', dialled('closed-port', 'dial tcp SERVICE:443: connect: connection refused')],
  ['nowhere', dialled('nowhere', 'service "nowhere" not found')],
  [
    'no-such-port',
    callFailed(
      'no-such-port',
      'failed to call webhook: Post "https://sound.ways.svc:9443/validate?timeout=20s": no service port 9443 found for service "sound"',
    ),
  ],
  ['plain-http', dialled('plain-http', 'http: server gave HTTP response to HTTPS client')],
  ['closes-tls', dialled('closes-tls', 'EOF')],
  ['resets-tls', dialled('resets-tls', 'read tcp CALLER->SERVICE:443: read: connection reset by peer')],
  ['closes-http', dialled('closes-http', 'EOF')],
  ['hangs-http', dialled('hangs-http', 'context deadline exceeded')],
  ['old-tls', dialled('old-tls', 'remote error: tls: protocol version not supported')],
  ['demands-certificate', dialled('demands-certificate', 'remote error: tls: certificate required')],
  [
    'expired',
    x509('expired', 'certificate has expired or is not yet valid: current time TIME is after TIME'),
  ],
  ['another-name', x509('another-name', 'certificate is valid for localhost, not another-name.ways.svc')],
  ['another-authority', x509('another-authority', 'certificate signed by unknown authority')],
  [
    'renewed-authority',
    x509(
      'renewed-authority',
      'certificate signed by unknown authority (possibly because of "x509: Ed25519 verification failure" while trying to verify candidate authority certificate "demo webhook CA")',
    ),
  ],
];

/** Connections to Pods, and dry runs: the demo and a real cluster must respond in the same way. */
export function describePodContract(title: string, connect: () => Promise<ContractCluster>): void {
  describe(title, () => {
    let cluster: ContractCluster;
    before(async () => {
      cluster = await connect();
    });
    after(() => cluster?.stop());

    describe('the proxies to Pods and Services', () => {
      for (const [path, expected] of proxied) {
        it(`${path}: ${expected}`, async () => {
          expect(detail(await cluster.ask(`${inHome}/${path}`))).to.equal(expected);
        });
      }
      it('forward the request, and the target of a redirect', async () => {
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u' } };
        const path = `${inHome}/pods/https:sound:8443/proxy/validate`;
        const { json, headers } = await cluster.ask(path, { method: 'POST', body: JSON.stringify(review) });
        expect(json).to.deep.equal({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: 'u', allowed: true },
        });
        expect(headers).to.include({ 'cache-control': 'no-cache, private' });
        const moved = await cluster.ask(`${inHome}/pods/https:redirects:8443/proxy/validate`);
        expect(moved.headers.location).to.equal('https://localhost/elsewhere');
        const withSlash = await cluster.ask(`${inHome}/pods/https:sound:8443/proxy`);
        expect(withSlash.headers.location).to.equal(`${inHome}/pods/https:sound:8443/proxy/`);
      });
      it('need a permission of their own', async () => {
        const answer = await cluster.ask(`${inHome}/pods/https:sound:8443/proxy/`, { as: 'reader' });
        expect(detail(answer)).to.equal(
          `403 Forbidden pods "https:sound:8443" is forbidden: User "reader" cannot get resource "pods/proxy" in API group "" in the namespace "${home}"`,
        );
      });
    });

    describe('port-forward', () => {
      const texts = ({ channels }: Forwarded): readonly string[] =>
        channels.map((messages) => settled(Buffer.concat(messages.slice(1)).toString('latin1')));
      const hello = Buffer.from('GET /readyz HTTP/1.1\r\nhost: pod\r\nconnection: close\r\n\r\n');

      it('begins with the port on each of its two channels, then carries both directions', async () => {
        const forwarded = await cluster.forward(`${inHome}/pods/plain-http/portforward?ports=8443`, hello);
        expect(forwarded.protocol).to.equal('v4.channel.k8s.io');
        const port = Buffer.from([8443 & 0xff, 8443 >> 8]);
        expect(forwarded.channels.map(([first]) => first?.equals(port))).to.deep.equal([true, true]);
        const [data, error] = texts(forwarded);
        expect(data).to.match(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n[\s\S]*ok/);
        expect(error).to.equal('');
        expect(forwarded.code).to.equal(1000);
      });
      it('reaches listeners on loopback only', async () => {
        const forwarded = await cluster.forward(
          `${inHome}/pods/on-loopback/portforward?ports=8443`,
          Buffer.from('nonsense\r\n\r\n'),
        );
        expect(texts(forwarded)[1]).to.equal('');
      });
      it('numbers the channels of further ports', async () => {
        const path = `${inHome}/pods/plain-http/portforward?ports=8443,9999`;
        const { channels, ...forwarded } = await cluster.forward(path, hello);
        expect(channels.map(([first]) => first?.readUInt16LE())).to.deep.equal([8443, 8443, 9999, 9999]);
        const [data, , , error] = texts({ channels, ...forwarded });
        expect(data).to.contain('HTTP/1.1 200 OK');
        expect(error).to.equal(refusedBy(9999));
      });
      for (const [path, expected] of forwardingErrors) {
        it(`${path} fails with the error of the kubelet`, async () => {
          const forwarded = await cluster.forward(`${inHome}/pods/${path}`, hello);
          expect(texts(forwarded)).to.deep.equal(['', expected]);
          expect(forwarded.code).to.equal(1000);
        });
      }
      for (const [path, as, expected] of refusals) {
        it(`${path} is refused for ${as}: ${expected}`, async () => {
          const { refused } = await cluster.forward(`${inHome}/pods/${path}`, hello, as);
          expect(refused && detail(refused)).to.equal(expected);
        });
      }
      it('without a WebSocket is refused', async () => {
        const answer = await cluster.ask(`${inHome}/pods/sound/portforward?ports=8443`);
        expect(detail(answer)).to.equal('400 BadRequest Upgrade request required');
      });
    });

    describe('dry runs', () => {
      const create = (name: string, labels: object = {}, path = `${inHome}/configmaps`) =>
        cluster.ask(`${path}?dryRun=All`, {
          method: 'POST',
          body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } }),
        });
      for (const [name, expected] of dryRuns) {
        it(`that reach ${name}: ${expected}`, async () => {
          const answer = await create('attempt', { ask: name });
          if (expected !== '201') {
            expect(detail(answer)).to.equal(expected);
            return;
          }
          const { kind, apiVersion, metadata } = answer.json as {
            kind: string;
            apiVersion: string;
            metadata: object;
          };
          expect([answer.status, kind, apiVersion]).to.deep.equal([201, 'ConfigMap', 'v1']);
          expect(metadata).to.include({ name: 'attempt', namespace: home });
          expect((await cluster.ask(`${inHome}/configmaps/attempt`)).status).to.equal(404);
        });
      }
      it('repeat the failure in the details', async () => {
        const { json } = await create('attempt', { ask: 'nowhere' });
        const { message, details } = json as { message: string; details: object };
        expect(details).to.deep.equal({
          causes: [{ message: message.replace('Internal error occurred: ', '') }],
        });
      });
      it('of an existing object are refused, after the webhooks', async () => {
        expect(detail(await create('there-already'))).to.equal(
          '409 AlreadyExists configmaps "there-already" already exists',
        );
        expect(detail(await create('there-already', { ask: 'denies' }))).to.contain('not on a Sunday');
      });
      it('in a namespace that does not exist are refused', async () => {
        expect(detail(await create('attempt', {}, '/api/v1/namespaces/nowhere/configmaps'))).to.equal(
          '404 NotFound namespaces "nowhere" not found',
        );
      });
    });
  });
}
