import { expect } from 'chai';
import { validatingWebhook } from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, only } from './case.ts';
import { deploymentOf, refusedPods } from './pods.ts';

const [injector, shop] = ['mesh-injector', 'shop-frontend'];

export const injectorGone: Case = {
  name: 'injector-gone',
  title: 'The sidecar injector no longer runs, and Pods are refused',
  namespaces: [injector, shop],

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const [home, frontend] = [stage.home(injector), stage.home(shop)];
    const made = validatingWebhook(home, {
      service: 'injector',
      caBundle: ca.cert,
      webhook: {
        name: 'sidecar.injector.example.com',
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: only(frontend),
      },
    });
    await scene.create({ ...made, kind: 'MutatingWebhookConfiguration', metadata: { name: home } });
    await waitFor('Pods to be refused', () => refusedPods(stage, shop));
    await stage.inside(shop).create(deploymentOf('web', 2));
    await waitFor('the event', async () => {
      const events = await scene.client.list('v1', 'Event', frontend);
      return events.some(({ reason }) => reason === 'FailedCreate');
    });
    tell(`The sidecar injector was removed, and its webhook configuration remains. Running Pods are not affected. After the
next rollout or node failure there are no Pods: the Deployment shows 0/2, and \`kubectl get pods\` shows none.`);
    await type(`kubectl -n ${frontend} get deployments,pods`);
    tell('Start at the object that is stuck; `--from` finds the cause:');
    const found = await type(`kubectl webhook doctor --from deployment/web -n ${frontend}`);
    expect(found.code, found.output).to.equal(1);
    expect(found.output)
      .to.include('sidecar.injector.example.com')
      .and.match(/Service .*not|service-missing/);

    tell(`Install the injector again, or delete its webhook configuration. Until then, Pods can be created without sidecars.
The controller waits longer after each refusal; a restart makes it retry at once.`);
    const opened = await type(`kubectl webhook failopen ${home} --yes`);
    expect(opened.code, opened.output).to.equal(0);
    await waitFor('Pods to pass', async () => !(await refusedPods(stage, shop)));
    await type(`kubectl -n ${frontend} rollout restart deployment web`);
    const rolled = await type(
      `kubectl -n ${frontend} rollout status deployment web --timeout=240s >/dev/null && kubectl -n ${frontend} get deployment web`,
    );
    expect(rolled.output).to.match(/web\s+2\/2/);
    tell(`These Pods have no sidecar, and will have none later. When the injector runs again, restore failurePolicy with
\`kubectl webhook undo\`, and restart the workloads that were created without it.`);
    const undone = await type('kubectl webhook undo --yes');
    expect(undone.code, undone.output).to.equal(0);
  },
};
