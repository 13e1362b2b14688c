import { expect } from 'chai';
import { deployBackend, scale, validatingWebhook, waitForNoEndpoint } from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, named, only, type Stage } from './case.ts';
import { deploymentOf } from './pods.ts';

const namespace = 'wave-settings';
/** The scheduler that nobody runs, and the annotation that keeps the former one's name. */
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

/** What a controller does that releases a workload. */
const release = (stage: Stage, name: string) =>
  stage.scene.client.patch(named('apps/v1', 'Deployment', stage.home(namespace), name), {
    metadata: { annotations: { [keptIn]: null } },
    spec: { template: { spec: { schedulerName: 'default-scheduler' } } },
  });

export const parkedPods: Case = {
  name: 'parked-pods',
  title: 'Pods that wait for a scheduler that does not exist',
  namespaces: [namespace],

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const home = stage.home(namespace);
    const here = stage.inside(namespace);
    // Its ServiceAccount may not even read the Lease by which it would lead.
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
    await waitFor('the webhook to park', async () => {
      const seen = await here.create(waiting('trial', 'settings'), { dryRun: true });
      return seen.spec?.template.spec.schedulerName === nobody;
    });
    await here.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' } });
    for (const object of [waiting('cart', 'settings'), waiting('checkout', 'there')])
      await here.create(object);
    const ends = async (wanted: RegExp) => {
      await waitFor(
        `parked Pods: ${wanted}`,
        async () => wanted.test((await stage.look(`kubectl webhook doctor ${home} --probe none`)).output),
        { timeout: 240_000, interval: 3_000 },
      );
      const typed = await type(`kubectl webhook doctor ${home} --probe none`);
      expect(typed.output).to.match(wanted);
    };

    tell(`A controller wants Pods to start only when all ConfigMaps and Secrets that they refer to exist. Its webhook gives
every Deployment a scheduler that nobody runs, and keeps the former one's name in an annotation; when all is there, the
controller puts it back. Until then the Pods are Pending, without an event and without a reason.`);
    await type(`kubectl -n ${home} get pods -l app!=wave`);
    tell(`Two Deployments, two ends. One waits for a ConfigMap that nobody has made. Of the other everything is there, and
the controller runs; but it is not allowed what it needs, and says so in its own log.`);
    await ends(/checkout[\s\S]*cannot\s+get\s+leases/);

    tell('The controller is scaled away: now nobody is there to release anything.');
    await scale(here, 'wave', 0);
    await waitForNoEndpoint(here, 'wave');
    await ends(/checkout[\s\S]*does\s+not\s+run/);

    tell(`Whoever releases a workload changes its template; the schedulerName of a Pod that exists can never be changed. A
Deployment that cannot roll out, because its quota is full or its rollout is paused, keeps its old Pods: released, and
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
      'To go on without the controller, the former scheduler is put back, workload by workload, with a way back.',
    );
    const target = `pods-parked:mutating/${home}/deployments.wave.example.com`;
    const fixed = await type(
      `kubectl webhook fix ${target} --remedy restore-scheduler --probe none --wait 5s --yes`,
    );
    // The ConfigMap is still missing, and so the new Pod does not get ready either.
    expect(fixed.code, fixed.output).to.be.oneOf([0, 1]);
    const cart = await scene.client.get(named('apps/v1', 'Deployment', home, 'cart'));
    expect(cart?.spec.template.spec.schedulerName).to.equal('default-scheduler');
    const undone = await type('kubectl webhook undo --yes');
    expect(undone.code, undone.output).to.equal(0);
  },
};
