import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { ownAddress } from './oracle-facts.ts';

/** Not loopback, which is the API server's own host. */
const host = ownAddress();

/** Denies Services without the API server's defaults, and those with a label. */
function said({ metadata, spec }: Record<'metadata' | 'spec', Record<string, unknown>>): string {
  if (Object(metadata.labels).forbidden !== undefined) return 'the label forbidden is forbidden';
  return spec.sessionAffinity === undefined ? 'spec.sessionAffinity is required' : '';
}

describe('doctor -f, compared with the API server', function () {
  needs('api-server');
  this.timeout(120_000);
  const scene = useScene(() => apiServer({}));
  let server: Server;
  let clientConfig = {};

  before(async () => {
    const ca = await authority({ cn: 'services-ca' });
    server = createServer(await issue(ca, { ips: [host] }), (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { uid, object } = JSON.parse(Buffer.concat(chunks).toString('utf8')).request;
        const message = said(object);
        const answer = { uid, allowed: message === '', status: { message } };
        response.end(
          JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const { port } = server.address() as AddressInfo;
    clientConfig = { url: `https://${host}:${port}/`, caBundle: Buffer.from(ca.cert).toString('base64') };
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const service = (labels = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'cart', namespace: scene.namespace, labels },
    spec: { ports: [{ port: 80 }] },
  });

  /** Doctor's findings about the responses to the object. */
  async function found(object: object): Promise<readonly (readonly string[])[]> {
    const file = fileWith(JSON.stringify(object), 'object.json');
    const { stdout, stderr } = await plugin([
      'doctor',
      'services.example.com',
      ...['-f', file, '--samples', 'none', '-o', 'json', '--kubeconfig', scene.kubeconfig],
    ]);
    expect(stdout, stderr).to.not.equal('');
    const { findings } = JSON.parse(stdout) as DoctorReport;
    return findings.flatMap(({ check, message }) => (check === 'denies-sample' ? [[check, message]] : []));
  }

  it('sends the defaults of the API server, and the same requests are denied', async () => {
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'services' },
      webhooks: [
        {
          name: 'services.example.com',
          clientConfig,
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    await waitFor('the webhook to be called', () =>
      scene.create(service({ forbidden: 'yes' }), { dryRun: true }).then(
        () => false,
        (error: Error) => error.message.includes('is forbidden'),
      ),
    );
    expect(await found(service())).to.deep.equal([]);
    const [[, message] = []] = await found(service({ forbidden: 'yes' }));
    expect(message).to.include('the label forbidden is forbidden');
  });
});
