import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { anotherApiServer, type SecondApiServer } from '../cluster/second-api-server.ts';
import { apiServer, needs, type TestCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';

/** EndpointSlices take no loopback address. */
const address = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** A closed port. */
const deaf = 1;

describe('counters of several API servers', function () {
  needs('api-server');
  this.timeout(180_000);
  let cluster: TestCluster;
  let second: SecondApiServer | undefined;
  let scene: Scene;

  const configuration = (): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'several' },
    webhooks: [
      {
        name: 'several.example.com',
        clientConfig: { service: { namespace: scene.namespace, name: 'nowhere', path: '/' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
        failurePolicy: 'Fail',
        timeoutSeconds: 3,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const slice = (port: number): KubeObject => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `kubernetes-${port}`,
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: 'IPv4',
    ports: [{ name: 'https', port, protocol: 'TCP' }],
    endpoints: [{ addresses: [address] }],
  });
  const isRefused = (client: Client): Promise<boolean> =>
    client
      .create(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { generateName: 'x-', namespace: scene.namespace },
        },
        { dryRun: true },
      )
      .then(
        () => false,
        (error: Error) => error.message.includes('service "nowhere" not found'),
      );
  /**
   * Waits until the API server has loaded the webhook, and sends exactly that many requests, which it
   * refuses.
   */
  const refuse = async (client: Client, times: number): Promise<void> => {
    let refused = 0;
    await waitFor('the webhook to be called', async () => {
      if (await isRefused(client)) refused += 1;
      return refused > 0;
    });
    for (; refused < times; refused += 1) expect(await isRefused(client)).to.equal(true);
  };
  const counted = async (): Promise<{ message: string; evidence: FindingReport['evidence'] }> => {
    const args = ['doctor', 'several', '--probe', 'none', '--kubeconfig', cluster.kubeconfig, '-o', 'json'];
    const { stdout, stderr } = await plugin(args);
    expect(stdout, stderr).to.not.equal('');
    const { findings, notLookedAt } = JSON.parse(stdout) as DoctorReport;
    expect(notLookedAt).to.deep.equal([]);
    const found = findings.filter(({ check }) => check === 'rejections-counted');
    expect(found).to.have.length(1);
    return found[0] ?? expect.fail();
  };
  const since = '20\\S+Z';

  before(async () => {
    cluster = await apiServer({ arguments: ['--bind-address=0.0.0.0'] });
    second = await anotherApiServer(cluster);
    scene = await openScene(cluster.client);
    await scene.create(configuration());
    await refuse(cluster.client, 3);
    await refuse(second.client, 5);
    for (const port of [Number(new URL(cluster.client.server).port), second.port])
      await scene.create(slice(port));
  });
  after(async () => {
    await scene?.leave();
    await second?.stop();
  });

  it('are added up, the server of the kubeconfig once', async () => {
    const { message, evidence } = await counted();
    expect(message).to.match(
      new RegExp(
        `^8 requests were refused since ${since} \\(2 API servers, the last one since ${since}\\) because`,
      ),
    );
    expect(
      evidence.map(({ field, value }) => [field?.split('/metrics')[0], value.split(';')[0]]),
    ).to.deep.equal([
      [cluster.client.server, '503 (3)'],
      [`https://${address}:${second?.port}`, '503 (5)'],
    ]);
  });

  it('are separate from what could not be read', async () => {
    await scene.create(slice(deaf));
    const begun = Date.now();
    const { message, evidence } = await counted();
    expect(message).to.match(
      new RegExp(`^8 requests were refused since ${since} \\(2 of 3 API servers, the last one`),
    );
    expect(evidence.at(-1)?.field).to.equal(`https://${address}:${deaf}/metrics`);
    expect(evidence.at(-1)?.value).to.match(/^not read: .*connection refused/);
    expect(Date.now() - begun).to.be.lessThan(60_000);
    await scene.client.delete(slice(deaf));
  });

  it('are those of the remaining server if one stops', async () => {
    await second?.stop();
    const { message } = await counted();
    expect(message).to.match(
      new RegExp(`^3 requests were refused since ${since} \\(1 of 2 API servers\\) because`),
    );
  });

  it('are those of the server that responds if the kubeconfig verifies none', async () => {
    const args = [
      '--insecure-skip-tls-verify',
      '--server',
      cluster.client.server,
      '--certificate-authority=',
    ];
    const { stdout, stderr } = await plugin([
      'doctor',
      'several',
      '--probe',
      'none',
      '--kubeconfig',
      cluster.kubeconfig,
      '-o',
      'json',
      ...args,
    ]);
    expect(stdout, stderr).to.not.equal('');
    const { findings } = JSON.parse(stdout) as DoctorReport;
    const found = findings.find(({ check }) => check === 'rejections-counted');
    expect(found?.message).to.include('(1 of 2 API servers)');
    expect(found?.evidence.map(({ value }) => value).join('\n')).to.include('certificate is verified');
  });
});
