import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { startBackend } from '../../src/demo/backend/backend.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs, type TestCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { address } from './dry-writes.ts';

const ca = await authority({ cn: 'webhook-ca' });
const stranger = await authority({ cn: 'proxy-ca' });

describe('doctor on a real API server with a proxy in its environment', function () {
  needs('api-server');
  this.timeout(120_000);
  /** The proxy's response to CONNECT, or the port of another server. */
  const refusal = 'HTTP/1.1 503 Service Unavailable\r\n\r\n';
  let does: string | number = refusal;
  let proxy: Server;
  let cluster: TestCluster;
  let scene: Scene;
  /** Hosts and ports of the CONNECT requests of the API server. */
  const targets = new Set<string>();

  before(async () => {
    proxy = createServer().listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    proxy.on('connect', (request, socket) => {
      targets.add(request.url ?? '');
      if (typeof does === 'string') return socket.end(does);
      const server = connect(does, address, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(server).pipe(socket);
      });
      for (const end of [socket, server]) end.on('error', () => end.destroy());
      return server;
    });
    const environment = {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NO_PROXY: '203.0.113.0/24,.svc.cluster.local',
    };
    Object.assign(process.env, environment);
    cluster = await apiServer({ aggregatorRouting: true, arguments: ['--v=1'] });
    for (const name of Object.keys(environment)) delete process.env[name];
  });
  beforeEach(async () => {
    scene = await openScene(cluster.client);
  });
  afterEach(() => scene?.leave());
  after(() => proxy?.close());

  it('names the proxy, by its response and by its certificate', async () => {
    does = refusal;
    const { namespace } = scene;
    const names = [`policy.${namespace}.svc`];
    const good = await startBackend({ certificate: await issue(ca, { dns: names }), bind: address });
    const other = await startBackend({ certificate: await issue(stranger, { dns: names }), bind: address });
    try {
      await scene.create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'policy' },
        spec: { ports: [{ port: 443, targetPort: good.port }] },
      });
      await scene.create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'policy', labels: { 'kubernetes.io/service-name': 'policy' } },
        addressType: 'IPv4',
        ports: [{ name: '', port: good.port }],
        endpoints: [{ addresses: ['192.0.2.99'], conditions: { ready: true } }],
      });
      await scene.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'proxied' },
        webhooks: [
          {
            name: 'proxied.example.com',
            clientConfig: {
              service: { namespace, name: 'policy' },
              caBundle: Buffer.from(ca.cert).toString('base64'),
            },
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
            rules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
            ],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      });
      const says = (words: string) =>
        waitFor(words, async () => {
          const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
          const { body } = await scene.client.request('POST', path, { metadata: { name: 'new' } });
          return body.includes(words);
        });
      await says('Service Unavailable');
      const { callouts, findings } = await doctor();
      const verdict = callouts.find(({ configuration }) => configuration === 'proxied')?.verdict;
      expect(verdict?.because[0], JSON.stringify(verdict)).to.equal('api-server-proxy');
      const found = findings.find(({ check }) => check === 'api-server-proxy');
      expect(found?.message).to.contain('Service Unavailable');
      // A proxy that terminates TLS presents another certificate than the Pods.
      does = other.port;
      await says('x509: certificate signed by unknown authority');
    } finally {
      await good.close();
      await other.close();
    }
  });

  it('names it for an aggregated API, which is called at an address', async () => {
    does = refusal;
    const { namespace } = scene;
    const [metadata, port] = [{ name: 'metrics' }, 8443];
    await scene.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 443 }] } });
    await scene.create({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'metrics' } },
      addressType: 'IPv4',
      ports: [{ name: '', port }],
      endpoints: [{ addresses: ['192.0.2.99'], conditions: { ready: true } }],
    });
    const group = `${namespace}.example.com`;
    await scene.create(
      apiServiceOf(group, {
        service: { namespace, name: 'metrics' },
        insecureSkipTLSVerify: true,
      }),
    );
    const unavailable = async () =>
      JSON.stringify(await scene.client.list('apiregistration.k8s.io/v1', 'APIService')).includes(
        `192.0.2.99:${port}/apis/${group}/v1\\": Service Unavailable`,
      );
    await waitFor('the condition to quote the proxy', unavailable, { timeout: 90_000 });
    expect([...targets]).to.include(`192.0.2.99:${port}`);
    const { findings } = await doctor(`apiservice/v1.${group}`);
    const found = findings.find(({ check }) => check === 'api-server-proxy');
    expect(found?.message, JSON.stringify(findings)).to.contain('Service Unavailable');
  });

  async function doctor(name = 'proxied'): Promise<DoctorReport> {
    const args = ['doctor', name, '--kubeconfig', cluster.kubeconfig, '-o', 'json'];
    const { stdout, stderr } = await plugin(args);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    return JSON.parse(stdout) as DoctorReport;
  }
});
