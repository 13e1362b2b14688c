import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { running } from '../../src/demo/cluster/behaviour.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { namespace, service } from '../../src/demo/cluster/manifests.ts';
import { validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../src/demo/cluster/workload-manifests.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin } from '../support/plugin.ts';

describe('fix with several remedies', () => {
  it('prints once what doctor finds for a webhook afterwards', async () => {
    const { parts = [] } = scenarios.find(({ slug }) => slug === 'host-network') ?? {};
    const server = await startApiServer(clusterContent(parts, new Date()));
    try {
      const words =
        'fix host-policy --remedy add-pre-stop,add-disruption-budget --yes --wait 10s --kubeconfig';
      const { code, stdout } = await inProcess([...words.split(' '), fileWith(server.kubeconfig())]);
      expect(code, stdout).to.equal(0);
      const sentences = stdout.replace(/\s+/g, ' ').match(/doctor: the next call to \S+ will succeed/g);
      expect(sentences, stdout).to.have.length(1);
    } finally {
      await server.stop();
    }
  });
});

describe('fix of the first of two causes', () => {
  it('names the one that is left, with its fix', async () => {
    const { parts = [] } = scenarios.find(({ slug }) => slug === 'selector-matches-no-pod') ?? {};
    const wrongPort = parts.map((part) => structuredClone(part));
    for (const { webhooks = [] } of wrongPort as { webhooks?: { clientConfig: { service: object } }[] }[]) {
      for (const { clientConfig } of webhooks) Object.assign(clientConfig.service, { port: 9443 });
    }
    const server = await startApiServer(clusterContent(wrongPort, new Date()));
    try {
      const words = 'fix service-port-missing --remedy fix-service-port --yes --wait 1s --kubeconfig';
      const { code, stdout } = await inProcess([...words.split(' '), fileWith(server.kubeconfig())]);
      expect(code, stdout).to.equal(1);
      const said = stdout.replace(/[\s\\]+/g, ' ');
      expect(said).to.match(/the next call to \S+ still fails: Service \S+ selects \S+, but Pods/);
      expect(said).to.match(
        /Next: kubectl webhook fix selector-matches-no-pod\S* --remedy fix-service-selector/,
      );
    } finally {
      await server.stop();
    }
  });
});

describe('fix of a configuration of an uninstalled product', () => {
  it('deletes it, and succeeds if doctor does not find it any more', async () => {
    const { parts = [] } = scenarios.find(({ slug }) => slug === 'orphaned-after-uninstall') ?? {};
    const server = await startApiServer(clusterContent(parts, new Date()));
    try {
      const words = 'fix orphaned-configuration --remedy delete-orphaned-configuration --yes --kubeconfig';
      const { code, stdout, stderr } = await plugin([...words.split(' '), fileWith(server.kubeconfig())]);
      expect(stderr).to.not.include('error');
      expect(stdout).to.match(/doctor: \S+ no\s+longer\s+exists/);
      expect(code, stdout).to.equal(0);
    } finally {
      await server.stop();
    }
  });
});

describe('fix of all webhooks of a configuration', () => {
  it('is one change, verified for each of them, and undone as one', async () => {
    const names = ['a.example.com', 'b.example.com'];
    const parts = [
      namespace('shop'),
      service('shop/policy', { ports: [{ port: 8443, targetPort: 8443 }] }),
      deployment('shop/policy', { replicas: 1, pods: [running({})] }),
      validating(
        'policy',
        names.map((name) => webhook(name, { service: 'shop/policy' })),
      ),
    ];
    const server = await startApiServer(clusterContent(parts, new Date()));
    try {
      const kubeconfig = fileWith(server.kubeconfig());
      const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-fix-test-'));
      const run = (words: string) =>
        inProcess([...words.split(' '), '--kubeconfig', kubeconfig], { XDG_STATE_HOME: state });
      const report = await run('doctor -o json');
      expect(report.stdout).to.contain('kubectl webhook fix service-port-missing:policy --remedy');
      const fixed = await run(
        'fix service-port-missing:policy --remedy fix-service-port --yes --wait 10s -o json',
      );
      const { changes } = JSON.parse(fixed.stdout);
      expect([fixed.code, changes.length, changes[0].steps.length], fixed.stderr).to.deep.equal([0, 1, 2]);
      expect((await run('doctor')).stdout).to.contain('2 webhooks: 2 healthy');
      expect((await run(`undo ${changes[0].id} --yes`)).code).to.equal(0);
      expect((await run('doctor')).stdout).to.contain('2 webhooks: 2 failing');
    } finally {
      await server.stop();
    }
  });
});
