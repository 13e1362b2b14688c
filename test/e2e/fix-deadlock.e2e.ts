import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deployBackend, validatingWebhook, waitForEndpoints } from '../cluster/backend-pods.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { hasTmux, inTerminal } from '../support/tmux.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** Everything, everywhere, closed: the policy webhook that takes a cluster down. */
const everything = {
  rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
  namespaceSelector: {},
  timeoutSeconds: 2,
};

describe('fix in a cluster in which nothing starts any more', () => {
  needs('node', 'own-node');
  const scene = useScene(nodeCluster);
  before(function () {
    if (!hasTmux()) this.skip();
  });

  it('brings it back in one guided pass', async () => {
    const ca = await authority({ cn: 'webhook-ca' });
    await deployBackend(scene, { name: 'guard', ca, replicas: 2 });
    const configuration = validatingWebhook(scene.namespace, {
      service: 'guard',
      caBundle: ca.cert,
      webhook: everything,
    });
    // All Pods away before anything is registered: no old one is left that could answer for a new one.
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none', namespace: scene.namespace },
      spec: { hard: { pods: '0' } },
    };
    await scene.create(quota);
    await waitFor('all its Pods to be gone', async () => {
      const pods = await scene.client.list('v1', 'Pod', scene.namespace);
      for (const { metadata } of pods)
        await scene.client.delete({ apiVersion: 'v1', kind: 'Pod', metadata }, 0);
      return pods.length === 0;
    });
    await waitForEndpoints(scene, 'guard', 0);
    await scene.client.delete(quota);
    await scene.create(configuration);
    const restart = () =>
      scene.client
        .patch(
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'guard', namespace: scene.namespace },
          },
          { spec: { template: { metadata: { annotations: { tried: 'again' } } } } },
        )
        .then(
          () => 'allowed',
          (error: Error) => error.message,
        );
    await waitFor('a restart to be refused', async () => /failed calling webhook/.test(await restart()));

    const home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-terminal-'));
    const started = performance.now();
    const terminal = await inTerminal([program, 'fix', '--kubeconfig', scene.kubeconfig], {
      HOME: home,
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
    });
    try {
      const choice = await terminal.shows(/What shall be (mended|done)\?/);
      if (/What shall be mended\?/.test(choice)) {
        expect(choice).to.match(/bootstrap-deadlock/);
        await terminal.press('Enter');
        await terminal.shows(/What shall be done\?/);
      }
      await terminal.press('Enter');
      const shown = await terminal.shows(/Do it\?/);
      expect(shown).to.match(/^\+.*(NotIn|kubernetes\.io\/metadata\.name|Ignore)/m);
      await terminal.press('y', 'Enter');
      expect(await terminal.ended(120_000), await terminal.screen()).to.equal(0);
      const end = await terminal.screen();
      expect(end).to.match(/Undo +kubectl webhook undo/);
      expect(end).to.match(/doctor: the next call to .* succeeds/);
      console.log(`      ${((performance.now() - started) / 1000).toFixed(1)} s from the command to the end`);
    } finally {
      await terminal.close();
    }
    await waitForEndpoints(scene, 'guard', 2);
    expect(await restart()).to.equal('allowed');
  });
});
