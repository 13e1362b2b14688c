import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { createExternalService } from '../cluster/external-service.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { ownAddress } from './oracle-facts.ts';

/** Not loopback, which is the API server's own host. */
const host = ownAddress();
const ca = await authority({ cn: 'reviews-ca' });
const caBundle = Buffer.from(ca.cert).toString('base64');

/** What the server of an aggregated API returns to a review, if its own request for the authorization gets 404. */
const ownError = (url = ''): string =>
  `Internal Server Error: "${url}": the server could not find the requested resource (post subjectaccessreviews.authorization.k8s.io)\n`;

describe('doctor and programs of another release than their configuration or cluster', function () {
  needs('api-server');
  this.timeout(120_000);
  const scene = useScene(() => apiServer({ aggregatorRouting: true }));
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function serving(names: { readonly dns?: string[]; readonly ips?: string[] }, on: RequestListener) {
    const server = createServer(await issue(ca, names), on);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return (server.address() as AddressInfo).port;
  }

  async function findings(name: string): Promise<DoctorReport['findings']> {
    const args = ['doctor', name, '-o', 'json', '--kubeconfig', scene.kubeconfig];
    const { stdout, stderr } = await plugin(args);
    expect(stdout, stderr).to.not.equal('');
    return (JSON.parse(stdout) as DoctorReport).findings;
  }

  const configuration = (kind: string, name: string, webhook: object) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
        ...webhook,
      },
    ],
  });
  const rule = (resource: string, ...operations: readonly string[]) => ({
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: [resource],
    operations,
  });
  const refusal = (object: object) =>
    scene.create(object as never, { dryRun: true }).then(
      () => '',
      (error: Error) => error.message,
    );
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: {} };

  it('name an operation that the rules match and the program does not handle', async () => {
    await scene.create(settings);
    const port = await serving({ ips: [host] }, async (request, response) => {
      const { uid, operation } = JSON.parse(await text(request)).request;
      const message = `unsupported webhook operation ${operation}`;
      const answer =
        operation === 'UPDATE' ? { uid, allowed: false, status: { message } } : { uid, allowed: true };
      response
        .setHeader('content-type', 'application/json')
        .end(
          JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }),
        );
    });
    await scene.create(
      configuration('ValidatingWebhookConfiguration', 'operations', {
        clientConfig: { url: `https://${host}:${port}/`, caBundle },
        rules: [rule('configmaps', 'CREATE', 'UPDATE')],
      }),
    );
    const denied = await waitFor('the denial', async () => {
      const all = await findings('operations');
      return all.find(({ check }) => check === 'denies-sample');
    });
    expect(denied.message).to.include('UPDATE').and.include('unsupported webhook operation UPDATE');
  });

  it('name the API behind a webhook whose own request fails, and no path', async () => {
    const service = { namespace: scene.namespace, name: 'reviews' };
    const group = `${scene.namespace}.example.com`;
    const port = await serving({ dns: [`reviews.${scene.namespace}.svc`] }, (request, response) => {
      if (request.method === 'POST') {
        response.writeHead(500).end(ownError(request.url));
        return;
      }
      const resources = [
        { name: 'reviews', singularName: '', namespaced: false, kind: 'AdmissionReview', verbs: ['create'] },
      ];
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          kind: 'APIResourceList',
          apiVersion: 'v1',
          groupVersion: `${group}/v1`,
          resources,
        }),
      );
    });
    await createExternalService(scene, 'reviews', { address: host, port });
    await scene.create(apiServiceOf(group, { service, caBundle }));
    const path = `/apis/${group}/v1/reviews`;
    await scene.create(
      configuration('MutatingWebhookConfiguration', 'own-request', {
        clientConfig: { service: { namespace: 'default', name: 'kubernetes', path } },
        rules: [rule('secrets', 'CREATE')],
      }),
    );
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new' } };
    await waitFor(
      'the API to be available',
      async () => (await refusal(secret)).includes('subjectaccessreviews'),
      {
        timeout: 60_000,
      },
    );
    const all = await findings('own-request');
    const cause = all.find(({ check }) => check === 'call-fails-unexplained');
    expect(cause?.message, JSON.stringify(all)).to.include('returned 500');
    expect(JSON.stringify(cause)).to.include(`kubectl webhook doctor apiservice/v1.${group}`);
  });
});
