import { expect } from 'chai';
import { explainTexts } from '../../src/explain/explain.ts';
import { deployBackend, tryConfigMap, validatingWebhook } from '../cluster/backend-pods.ts';
import { kubectlBinary } from '../cluster/kubectl.ts';
import { dropPackets } from '../cluster/packet-filter.ts';
import { run } from '../cluster/run-command.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';

const ca = await authority({ cn: 'webhook-ca' });

describe('the error of a webhook timeout', function () {
  this.timeout(240_000);
  needs('node', 'own-node');
  const scene = useScene(nodeCluster);

  /** The error of a call to the backend, and the output of the last command that `explain` gives for it. */
  async function askedAbout(name: string): Promise<{ readonly error: string; readonly output: string }> {
    const webhook = { timeoutSeconds: 3 };
    const configuration = validatingWebhook(scene.namespace, { service: name, caBundle: ca.cert, webhook });
    await scene.create(configuration);
    let error = '';
    await waitFor('the webhook to be called', async () => {
      error = await tryConfigMap(scene);
      return error !== 'created';
    });
    await scene.client.delete(configuration);
    await waitFor('the webhook to be forgotten', async () => (await tryConfigMap(scene)) === 'created');
    const [text] = explainTexts(error, () => []).texts;
    const command = text?.commands?.at(-1) ?? '';
    expect(command, error).to.include(`/services/https:${name}:443/proxy/`);
    const args = [...command.split(' ').slice(1), '--kubeconfig', scene.kubeconfig];
    const output = await run(await kubectlBinary(), args).catch(({ message }: Error) => message);
    return { error, output };
  }

  it('is the same for a slow Pod and for dropped packets, and the command of `explain` separates them', async () => {
    await deployBackend(scene, { name: 'slow', ca, replicas: 1, args: ['--delay', '8s'] });
    await deployBackend(scene, { name: 'walled', ca, replicas: 1 });
    const slow = await askedAbout('slow');
    expect(slow.error).to.match(/context deadline exceeded/);
    expect(slow.output).to.not.match(/error trying to reach service/);
    const [pod] = await scene.client.list('v1', 'Pod', scene.namespace, 'app=walled');
    const undo = await dropPackets(pod?.status.podIP as string, 8443);
    try {
      const walled = await askedAbout('walled');
      expect(walled.error.replaceAll('walled', 'slow')).to.equal(slow.error);
      expect(walled.output).to.match(/error trying to reach service: .*i\/o timeout/);
    } finally {
      await undo();
    }
  });
});
