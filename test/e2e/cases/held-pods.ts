import { expect } from 'chai';
import { deployBackend, scale, validatingWebhook, waitForNoEndpoint } from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, named, only, type Stage } from './case.ts';
import { deploymentOf } from './pods.ts';

const namespace = 'wave-settings';
/** The name of a scheduler that does not exist, and the annotation with the previous one. */
const nobody = 'wave.example.com/invalid';
const keptIn = 'wave.example.com/scheduling-disabled';

const patch = [
  { op: 'add', path: '/spec/template/spec/schedulerName', value: nobody },
  {
    op: 'add',
    path: `/metadata/annotations/${keptIn.replace('/', '~1')}`,
    value: 'default-scheduler',
  },
];

const waiting = (name: string, configMap: string) => {
  const made = deploymentOf(name, 1);
  const [container] = made.spec.template.spec.containers;
  return {
    ...made,
    metadata: { ...made.metadata, annotations: { team: 'shop' } },
    spec: {
      ...made.spec,
      template: {
        ...made.spec.template,
        spec: {
          ...made.spec.template.spec,
          containers: [{ ...container, envFrom: [{ configMapRef: { name: configMap } }] }],
        },
      },
    },
  };
};

/** The write of a controller that releases a workload. */
const release = (stage: Stage, name: string) =>
  stage.scene.client.patch(named('apps/v1', 'Deployment', stage.home(namespace), name), {
    metadata: { annotations: { [keptIn]: null } },
    spec: { template: { spec: { schedulerName: 'default-scheduler' } } },
  });

export const heldPods: Case = {
  name: 'held-pods',
  title: 'Pods that wait for a scheduler that does not exist',
  namespaces: [namespace],

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const home = stage.home(namespace);
    const here = stage.inside(namespace);
    // Its ServiceAccount may not read the Lease of the leader election.
    await deployBackend(here, {
      name: 'wave',
      ca,
      replicas: 1,
      args: ['--answer', 'patch', '--patch', JSON.stringify(patch), '--lease', `${home}/wave`],
    });
    const made = validatingWebhook(home, {
      service: 'wave',
      caBundle: ca.cert,
      webhook: {
        name: 'deployments.wave.example.com',
        failurePolicy: 'Ignore',
        rules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
        ],
        namespaceSelector: only(home),
        objectSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['wave'] }] },
      },
    });
    await scene.create({ ...made, kind: 'MutatingWebhookConfiguration', metadata: { name: home } });
    await waitFor('the webhook to hold Pods', async () => {
      const seen = await here.create(waiting('trial', 'settings'), { dryRun: true });
      return seen.spec?.template.spec.schedulerName === nobody;
    });
    await here.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' } });
    for (const object of [waiting('cart', 'settings'), waiting('checkout', 'there')])
      await here.create(object);
    const ends = async (wanted: RegExp) => {
      await waitFor(
        `held Pods: ${wanted}`,
        async () => wanted.test((await stage.look(`kubectl webhook doctor ${home} --probe none`)).output),
        { timeout: 240_000, interval: 3_000 },
      );
      const typed = await type(`kubectl webhook doctor ${home} --probe none`);
      expect(typed.output).to.match(wanted);
    };

    tell(`A controller delays Pods until all ConfigMaps and Secrets that they reference exist. Its webhook sets a schedulerName
that no scheduler serves on every Deployment, and stores the previous one in an annotation; the controller restores it
when all objects exist. Until then the Pods are Pending, without an Event and without a reason.`);
    await type(`kubectl -n ${home} get pods -l app!=wave`);
    tell(`Two Deployments wait for different reasons. One references a ConfigMap that does not exist. For the other, all objects
exist and the controller runs, but it lacks a permission, as its log shows.`);
    await ends(/checkout[\s\S]*cannot\s+get\s+leases/);

    tell('The controller is scaled to zero, so nothing releases the Pods:');
    await scale(here, 'wave', 0);
    await waitForNoEndpoint(here, 'wave');
    await ends(/checkout[\s\S]*does\s+not\s+run/);

    tell(`To release a workload, the controller changes its template; the schedulerName of an existing Pod is immutable. A
Deployment that cannot roll out, because its quota is exceeded or its rollout is paused, keeps its old Pods: released, but
not scheduled.`);
    await type(`kubectl -n ${home} rollout pause deployment checkout`);
    await release(stage, 'checkout');
    await ends(/checkout[\s\S]*is\s+released/);
    await type(`kubectl -n ${home} rollout resume deployment checkout`);
    await waitFor(
      'the released Pod',
      async () =>
        (await scene.client.list('v1', 'Pod', home, 'app=checkout')).some(({ spec }) => spec?.nodeName),
      { timeout: 240_000 },
    );

    tell(
      'To continue without the controller, restore the previous scheduler of each workload; it can be undone:',
    );
    const target = `pods-parked:mutating/${home}/deployments.wave.example.com`;
    const fixed = await type(
      `kubectl webhook fix ${target} --remedy restore-scheduler --probe none --wait 5s --yes`,
    );
    // The ConfigMap is still missing, so the new Pod does not become Ready either.
    expect(fixed.code, fixed.output).to.be.oneOf([0, 1]);
    const cart = await scene.client.get(named('apps/v1', 'Deployment', home, 'cart'));
    expect(cart?.spec.template.spec.schedulerName).to.equal('default-scheduler');
    const undone = await type('kubectl webhook undo --yes');
    expect(undone.code, undone.output).to.equal(0);
  },
};
