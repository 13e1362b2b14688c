import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SoakReport } from '../../src/soak/soak-report.ts';
import { deployBackend, tryConfigMap, validatingWebhook } from '../cluster/backend-pods.ts';
import { kubectlBinary } from '../cluster/kubectl.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

/** Readiness on another port than the webhook's, and nothing that keeps a replica serving while it is taken out. */
const careless = {
  args: ['--answer', 'deny', '--readiness-port', '8081'],
  container: {
    ports: [{ name: 'https', containerPort: 8443 }],
    readinessProbe: { httpGet: { port: 8081, path: '/readyz' }, periodSeconds: 1 },
  },
};

describe('a rollout under steady dry runs', function () {
  needs('node');
  this.timeout(240_000);
  const scene = useScene(nodeCluster);

  it('lets requests pass unchecked, and none after the patch', async () => {
    const { namespace, kubeconfig, client } = scene;
    const ca = await authority({ cn: 'soak' });
    await deployBackend(scene, { name: 'soaked', ca, replicas: 2, ...careless });
    await scene.create(
      validatingWebhook(namespace, {
        service: 'soaked',
        caBundle: ca.cert,
        webhook: { failurePolicy: 'Ignore', timeoutSeconds: 10 },
      }),
    );
    await waitFor('the webhook to deny', async () => (await tryConfigMap(scene)).includes('denied'));
    const folder = mkdtempSync(join(tmpdir(), 'soak-'));
    const object = join(folder, 'denied.yaml');
    writeFileSync(
      object,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: soak, namespace: ${namespace}}\n`,
    );
    const kubectl = `${await kubectlBinary()} --kubeconfig ${kubeconfig} -n ${namespace}`;
    const rollout = `${kubectl} rollout restart deployment/soaked && ${kubectl} rollout status deployment/soaked --timeout=90s`;
    const soak = async (...more: string[]): Promise<SoakReport> => {
      const args = ['soak', `soaked-${namespace}`, '--kubeconfig', kubeconfig, '-o', 'json', '--rate', '30'];
      const { stdout, stderr } = await plugin([...args, '-f', object, '--for', '90s', ...more]);
      expect(stdout, stderr).to.not.equal('');
      return JSON.parse(stdout) as SoakReport;
    };

    const before = await soak('--during', rollout);
    console.log(`      before: ${JSON.stringify(before.totals)}`);
    expect(before.during?.exitCode).to.equal(0);
    expect(before.totals.unchecked).to.be.greaterThan(0);
    expect(before.totals.checked).to.be.greaterThan(before.totals.unchecked);
    const file = join(folder, 'before.json');
    writeFileSync(file, JSON.stringify(before));

    await client.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'soaked', namespace } },
      {
        spec: {
          strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
          template: {
            spec: {
              terminationGracePeriodSeconds: 15,
              containers: [
                {
                  ...(
                    await client.get({
                      apiVersion: 'apps/v1',
                      kind: 'Deployment',
                      metadata: { name: 'soaked', namespace },
                    })
                  )?.spec.template.spec.containers[0],
                  readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
                  lifecycle: { preStop: { sleep: { seconds: 5 } } },
                },
              ],
            },
          },
        },
      },
    );
    await waitFor(
      'the patch to be rolled out',
      async () => {
        const deployment = await client.get({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'soaked', namespace },
        });
        const { status, metadata, spec } = deployment ?? expect.fail();
        const pods = await client.list('v1', 'Pod', namespace, 'app=soaked');
        return (
          status.observedGeneration === metadata.generation &&
          status.updatedReplicas === spec.replicas &&
          status.readyReplicas === spec.replicas &&
          pods.length === spec.replicas
        );
      },
      { timeout: 90_000 },
    );
    const after = await soak('--during', rollout);
    console.log(`      after: ${JSON.stringify(after.totals)}`);
    expect(after.during?.exitCode).to.equal(0);
    expect(after.totals.requests).to.be.at.least(Math.min(before.totals.requests, 200));
    expect(after.totals.unchecked + after.totals.failed).to.equal(0);
    expect(after.totals.checked).to.equal(after.totals.requests);

    const told = await plugin([
      'soak',
      `soaked-${namespace}`,
      '--kubeconfig',
      kubeconfig,
      '--for',
      '2s',
      '--compare',
      file,
    ]);
    expect(told.code, told.stdout + told.stderr).to.equal(0);
    expect(told.stdout)
      .to.include('suggested')
      .and.match(/admitted unchecked\s+[1-9]\d* \(.*\s+0 \(0 %\)/);
  });
});
