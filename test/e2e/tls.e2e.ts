import { backendObjects, deployBackend, tryConfigMap, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
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

  it('is not blamed for a key that belongs to another certificate: the process says so and ends', async () => {
    const ca = await authority({ cn: 'webhook-ca' });
    const { key } = await issue(ca, { dns: ['another'] });
    const objects = await backendObjects(scene.namespace, { name: 'guard', ca, replicas: 1 });
    for (const object of objects) {
      const stringData = { ...object.stringData, 'tls.key': key };
      await scene.create(object.kind === 'Secret' ? { ...object, stringData } : object);
    }
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
    await waitFor('the process to have ended twice', async () => {
      const [pod] = await scene.client.list('v1', 'Pod', scene.namespace, 'app=guard');
      const [status] = pod?.status?.containerStatuses ?? [];
      return status?.restartCount > 0 && status?.lastState?.terminated && status?.state?.waiting;
    });
    const broken = { because: 'serving-secret-mismatched-key', link: 'tls' };
    await expectBroken(scene, scene.kubeconfig, `guard-${scene.namespace}`, broken);
  });
});
