import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { createExternalService } from '../cluster/external-service.ts';
import type { Scene } from '../cluster/scene.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { address } from './dry-writes.ts';

/** The discovery document of a group with one resource. */
const listOf = (group: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/v1`,
  resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get'] }],
});

/** The status of the condition Available of an APIService. */
async function availableIn({ client }: Scene, name: string): Promise<string | undefined> {
  const found = await client.get({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
  });
  const { conditions } = (found?.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions?.find(({ type }) => type === 'Available')?.status;
}

describe('doctor and an APIService whose server requires the client certificate of the aggregation layer', function () {
  needs('api-server');
  this.timeout(180_000);
  const scene = useScene(() => apiServer({ aggregatorRouting: true }));
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Registers an API whose server accepts only clients with a certificate of these authorities. */
  async function register(name: string, clients: string): Promise<string> {
    const { namespace } = scene;
    const group = `${name}.${namespace}.example.com`;
    const ca = await authority({ cn: 'api-ca' });
    const certificate = await issue(ca, { dns: [`${name}.${namespace}.svc`] });
    const server = createServer(
      { ...certificate, ca: clients, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        response.writeHead(request.url?.startsWith(`/apis/${group}/v1`) ? 200 : 404, {
          'content-type': 'application/json',
        });
        response.end(JSON.stringify(listOf(group)));
      },
    );
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    const { port } = server.address() as AddressInfo;
    await createExternalService(scene, name, { address, port });
    await scene.create(
      apiServiceOf(group, {
        service: { namespace, name },
        caBundle: Buffer.from(ca.cert).toString('base64'),
      }),
    );
    return `v1.${group}`;
  }
  const reported = async (name: string, ...flags: string[]) => {
    const args = ['doctor', `apiservice/${name}`, '--kubeconfig', scene.kubeconfig, '-o', 'json', ...flags];
    const { callouts } = JSON.parse((await plugin(args)).stdout) as DoctorReport;
    return callouts[0]?.verdict;
  };

  it('reports what the API server, which has that certificate, reports', async () => {
    const authentication = await scene.client.get({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'kube-system', name: 'extension-apiserver-authentication' },
    });
    const data = authentication?.data as Record<string, string>;
    const others = await authority({ cn: 'other-clients' });
    const accepting = await register('accepting', data['requestheader-client-ca-file'] ?? '');
    const refusing = await register('refusing', others.cert);
    await waitFor('one to be Available', async () => (await availableIn(scene, accepting)) === 'True', {
      timeout: 90_000,
    });
    await waitFor('the other to be refused', async () => (await availableIn(scene, refusing)) === 'False', {
      timeout: 90_000,
    });
    for (const flags of [[], ['--probe', 'connect'], ['--probe', 'none']]) {
      expect((await reported(accepting, ...flags))?.state, flags.join(' ')).to.equal('healthy');
      expect((await reported(refusing, ...flags))?.state, flags.join(' ')).to.equal('failing');
    }
  });
});

describe('doctor and an APIService whose discovery fails', function () {
  needs('api-server');
  this.timeout(180_000);
  const scene = useScene(() => apiServer({ aggregatorRouting: true }));
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Registers an API whose server responds 200 with a list that kubectl can read, until its text is replaced. */
  async function register() {
    const { namespace } = scene;
    const group = `${namespace}.example.com`;
    const ca = await authority({ cn: 'api-ca' });
    const api = { group, document: JSON.stringify(listOf(group)) };
    server = createServer(await issue(ca, { dns: [`api.${namespace}.svc`] }), (request, response) => {
      const isOurs = request.url?.startsWith(`/apis/${group}/v1`);
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/json' });
      response.end(api.document);
    });
    await new Promise<void>((resolve) => server?.listen(0, address, resolve));
    const { port } = server.address() as AddressInfo;
    await createExternalService(scene, 'api', { address, port });
    await scene.create(
      apiServiceOf(group, {
        service: { namespace, name: 'api' },
        caBundle: Buffer.from(ca.cert).toString('base64'),
      }),
    );
    await waitFor('its resources', async () => (await listed(group))?.resources?.length === 1, {
      timeout: 90_000,
    });
    return api;
  }
  const listed = async (group: string) => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { body } = await scene.client.request('GET', '/apis', undefined, undefined, { accept });
    const { items } = JSON.parse(body) as {
      items: { metadata: { name: string }; versions: { freshness: string; resources?: object[] }[] }[];
    };
    return items.find(({ metadata }) => metadata.name === group)?.versions[0];
  };
  const isStale = (group: string) =>
    waitFor('it to be stale', async () => (await listed(group))?.freshness === 'Stale', {
      timeout: 120_000,
    });
  const checks = async (group: string) => {
    const args = ['doctor', `apiservice/v1.${group}`, '--kubeconfig', scene.kubeconfig, '-o', 'json'];
    const { findings } = JSON.parse((await plugin(args)).stdout) as DoctorReport;
    return findings.map(({ check, message }) => `${check}: ${message}`).join('\n');
  };

  it('is Available, and marked as stale', async () => {
    const api = await register();
    expect(await checks(api.group)).to.not.include('apiservice-unavailable');
    api.document = 'ok';
    await isStale(api.group);
    // New APIServices get more time.
    await waitFor(
      'it to be reported',
      async () =>
        /apiservice-unavailable: .* is Available, but discovery marks it Stale/.test(await checks(api.group)),
      { timeout: 120_000 },
    );
  });

  // The API server reads nothing as YAML, which is a list without resources (apimachinery serializer/recognizer).
  it('is Available and has no resources, because its document is empty', async () => {
    const api = await register();
    api.document = '';
    await waitFor('its resources to be gone', async () => !(await listed(api.group))?.resources?.length, {
      timeout: 120_000,
    });
    expect((await listed(api.group))?.freshness).to.equal('Current');
    expect(await availableIn(scene, `v1.${api.group}`)).to.equal('True');
    expect(await checks(api.group)).to.include(
      'apiservice-unavailable: The API is Available, and its backend returns an empty discovery document',
    );
  });
});
