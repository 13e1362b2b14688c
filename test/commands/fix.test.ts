import { expect } from 'chai';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { fileWith, plugin } from '../support/plugin.ts';

describe('fix with several remedies', () => {
  it('prints once what doctor finds for a webhook afterwards', async () => {
    const { parts = [] } = scenarios.find(({ slug }) => slug === 'host-network') ?? {};
    const server = await startApiServer(clusterContent(parts, new Date()));
    try {
      const words =
        'fix host-policy --remedy add-pre-stop,add-disruption-budget --yes --wait 10s --kubeconfig';
      const { code, stdout } = await plugin([...words.split(' '), fileWith(server.kubeconfig())]);
      expect(code, stdout).to.equal(0);
      const sentences = stdout.replace(/\s+/g, ' ').match(/doctor: the next call to \S+ will succeed/g);
      expect(sentences, stdout).to.have.length(1);
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
