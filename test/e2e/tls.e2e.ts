import { deployBackend, tryConfigMap, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { expectBroken } from './doctor-says.ts';

describe('doctor on a real node: the caBundle', () => {
  needs('node');
  const scene = useScene(nodeCluster);

  it('is told, and its sentence predicted, when it is emptied or holds no certificate', async () => {
    const ca = await authority({ cn: 'webhook-ca', days: 3650 });
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    const configuration = validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert });
    await scene.create(configuration);
    await waitFor('a call that succeeds', async () => (await tryConfigMap(scene)) === 'created');

    const give = async (caBundle: string): Promise<void> => {
      const [webhook] = configuration.webhooks as readonly { clientConfig: { service: object } }[];
      const clientConfig = { service: webhook?.clientConfig.service, caBundle };
      const changed: KubeObject = { ...configuration, webhooks: [{ ...webhook, clientConfig }] };
      await scene.client.patch(configuration, { webhooks: changed.webhooks });
    };
    const name = `guard-${scene.namespace}`;
    await give('');
    await expectBroken(scene, scene.kubeconfig, name, { because: 'ca-bundle-empty', link: 'tls' });
    await give(Buffer.from('not a certificate').toString('base64'));
    await expectBroken(scene, scene.kubeconfig, name, { because: 'ca-bundle-invalid', link: 'tls' });
  });
});
