import { expect } from 'chai';
import { startBackend } from '../../../src/demo/backend/backend.ts';
import { validatingWebhook } from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { issue } from '../../support/certificates.ts';
import { type Case, only } from './case.ts';

const namespace = 'cloud-manager';

/** As cloud controller managers since KEP-2699: on every control plane node, next to the API server. */
export const hostedByUrl: Case = {
  name: 'hosted-by-url',
  title: 'A webhook that is hosted with its controllers, by URL',
  namespaces: [namespace],

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const home = stage.home(namespace);
    const certificate = await issue(ca, { ips: ['127.0.0.1'] });
    const start = (port: number) => startBackend({ certificate, port, bind: '127.0.0.1' });
    const first = await start(0);
    const { port } = first;
    let running = first;
    stage.mask(`127.0.0.1:${port}`, '127.0.0.1:10260');
    try {
      const made = validatingWebhook(home, { service: 'cloud', caBundle: ca.cert });
      const [webhook] = made.webhooks;
      const clientConfig = {
        url: `https://127.0.0.1:${port}/validate`,
        caBundle: webhook.clientConfig.caBundle,
      };
      await scene.create({
        ...made,
        metadata: { name: home },
        webhooks: [{ ...webhook, name: `${home}.example.com`, clientConfig, namespaceSelector: only(home) }],
      });
      tell(`A cloud controller manager serves a webhook next to the API server, on the loopback address of every control
plane node. The configuration names a URL, not a Service. While the process runs, \`doctor\` reports no failure, and
explains what the URL means.`);
      const well = await type(`kubectl webhook doctor ${home}`);
      expect(well.code, well.output).to.equal(0);
      expect(well.output).to.match(/url-loopback|loopback/);

      tell('An upgrade of the node stops the controller manager. The API server stays.');
      await running.close();
      const create = `kubectl -n ${home} create configmap settings --dry-run=server`;
      await waitFor('the refusal', async () => {
        const answer = await scene
          .create(
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-', namespace: home } },
            { dryRun: true },
          )
          .then(
            () => '',
            (error: Error) => error.message,
          );
        return answer.includes('connection refused');
      });
      const refused = await type(create);
      expect(refused.output).to.include('connect: connection refused');
      const down = await type(`kubectl webhook doctor ${home}`);
      expect(down.code, down.output).to.equal(1);
      expect(down.output).to.match(/FAILING/);

      tell(`The process must be started again on the node; no change in the cluster fixes it. Until then, requests can be
admitted unchecked, if that is acceptable.`);
      const opened = await type(`kubectl webhook failopen ${home} --yes`);
      expect(opened.code, opened.output).to.equal(0);
      await waitFor('requests to pass', async () =>
        scene
          .create(
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-', namespace: home } },
            { dryRun: true },
          )
          .then(
            () => true,
            () => false,
          ),
      );
      expect((await type(create)).code).to.equal(0);
      tell('The controller manager runs again. Restore the failurePolicy:');
      running = await start(port);
      const undone = await type('kubectl webhook undo --yes');
      expect(undone.code, undone.output).to.equal(0);
      const again = await type(`kubectl webhook doctor ${home}`);
      expect(again.code, again.output).to.equal(0);
    } finally {
      await running.close();
    }
  },
};
