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

describe('steady dry runs', function () {
  needs('node');
  this.timeout(240_000);
  const scene = useScene(nodeCluster);

  it('count what is admitted unchecked while replicas are down, and nothing while they are up', async () => {
    const { namespace, kubeconfig } = scene;
    const ca = await authority({ cn: 'soak' });
    await deployBackend(scene, { name: 'soaked', ca, replicas: 1, args: ['--answer', 'deny'] });
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
    // A fail-open webhook without any replica: the unchecked requests do not depend on the machine's load.
    const away = [
      `${kubectl} scale deployment/soaked --replicas=0`,
      `${kubectl} wait --for=delete pod -l app=soaked --timeout=90s`,
      'sleep 2',
      `${kubectl} scale deployment/soaked --replicas=1`,
      `${kubectl} rollout status deployment/soaked --timeout=90s`,
    ].join(' && ');
    const soak = async (...more: string[]): Promise<SoakReport> => {
      const args = ['soak', `soaked-${namespace}`, '--kubeconfig', kubeconfig, '-o', 'json', '--rate', '30'];
      const { stdout, stderr } = await plugin([...args, '-f', object, '--for', '90s', ...more]);
      expect(stdout, stderr).to.not.equal('');
      return JSON.parse(stdout) as SoakReport;
    };

    const before = await soak('--during', away);
    console.log(`      before: ${JSON.stringify(before.totals)}`);
    expect(before.during?.exitCode).to.equal(0);
    expect(before.totals.unchecked).to.be.greaterThan(0);
    expect(before.totals.checked).to.be.greaterThan(0);
    const file = join(folder, 'before.json');
    writeFileSync(file, JSON.stringify(before));

    await waitFor('the webhook to deny again', async () => (await tryConfigMap(scene)).includes('denied'));
    const after = await soak('--during', 'sleep 8');
    console.log(`      after: ${JSON.stringify(after.totals)}`);
    expect(after.during?.exitCode).to.equal(0);
    expect(after.totals.requests).to.be.greaterThan(50);
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
