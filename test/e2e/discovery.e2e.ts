import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { createExternalService } from '../cluster/external-service.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { address } from './dry-writes.ts';

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
    const document = {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: `${group}/v1`,
      resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get'] }],
    };
    const server = createServer(
      { ...certificate, ca: clients, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        response.writeHead(request.url?.startsWith(`/apis/${group}/v1`) ? 200 : 404, {
          'content-type': 'application/json',
        });
        response.end(JSON.stringify(document));
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
  const available = async (name: string): Promise<string | undefined> => {
    const found = await scene.client.get({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name },
    });
    const { conditions } = (found?.status ?? {}) as { conditions?: { type: string; status: string }[] };
    return conditions?.find(({ type }) => type === 'Available')?.status;
  };
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
    await waitFor('one to be Available', async () => (await available(accepting)) === 'True', {
      timeout: 90_000,
    });
    await waitFor('the other to be refused', async () => (await available(refusing)) === 'False', {
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
  let server: Server;
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });

  it('is Available, and marked as stale', async () => {
    const { namespace } = scene;
    const group = `${namespace}.example.com`;
    const ca = await authority({ cn: 'api-ca' });
    /** A list that kubectl can read, or the text `ok`. */
    let document: object | string = {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: `${group}/v1`,
      resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get'] }],
    };
    server = createServer(await issue(ca, { dns: [`api.${namespace}.svc`] }), (request, response) => {
      const isOurs = request.url?.startsWith(`/apis/${group}/v1`);
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'application/json' });
      response.end(typeof document === 'string' ? document : JSON.stringify(document));
    });
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    const { port } = server.address() as AddressInfo;
    await createExternalService(scene, 'api', { address, port });
    await scene.create(
      apiServiceOf(group, {
        service: { namespace, name: 'api' },
        caBundle: Buffer.from(ca.cert).toString('base64'),
      }),
    );
    const listed = async () => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const { body } = await scene.client.request('GET', '/apis', undefined, undefined, { accept });
      const { items } = JSON.parse(body) as {
        items: { metadata: { name: string }; versions: { freshness: string; resources?: object[] }[] }[];
      };
      return items.find(({ metadata }) => metadata.name === group)?.versions[0];
    };
    const checks = async () => {
      const args = ['doctor', `apiservice/v1.${group}`, '--kubeconfig', scene.kubeconfig, '-o', 'json'];
      const { findings } = JSON.parse((await plugin(args)).stdout) as DoctorReport;
      return findings.map(({ check, message }) => `${check}: ${message}`);
    };
    await waitFor('its resources', async () => (await listed())?.resources?.length === 1, {
      timeout: 90_000,
    });
    expect((await checks()).join('\n')).to.not.include('apiservice-unavailable');
    document = 'ok';
    await waitFor('it to be stale', async () => (await listed())?.freshness === 'Stale', {
      timeout: 120_000,
    });
    // New APIServices get more time.
    await waitFor(
      'it to be told',
      async () =>
        /apiservice-unavailable: .* is Available, but discovery marks it Stale/.test(
          (await checks()).join('\n'),
        ),
      { timeout: 120_000 },
    );
  });
});
