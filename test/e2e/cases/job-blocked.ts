import { expect } from 'chai';
import { deployBackend, validatingWebhook, waitForNoEndpoint } from '../../cluster/backend-pods.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, named, only } from './case.ts';
import { jobOf, refusedPods } from './pods.ts';

const [policy, batch] = ['policy-engine', 'batch-imports'];

export const jobBlocked: Case = {
  name: 'job-blocked',
  title: 'Jobs that never start',
  namespaces: [policy, batch],

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const [home, imports] = [stage.home(policy), stage.home(batch)];
    await deployBackend(stage.inside(policy), { name: 'policy', ca, replicas: 2 });
    const made = validatingWebhook(home, {
      service: 'policy',
      caBundle: ca.cert,
      webhook: {
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: only(imports),
      },
    });
    await scene.create({ ...made, metadata: { name: home } });
    tell(`A policy engine was scaled to zero on Friday evening. Running Pods are not affected. At night the import Jobs are
created, but none of their Pods.`);
    await type(`kubectl -n ${home} scale deployment policy --replicas=0`);
    await waitForNoEndpoint(stage.inside(policy), 'policy');
    await waitFor('Pods to be refused', () => refusedPods(stage, batch));
    await stage.inside(batch).create(jobOf('import', 2));
    await waitFor('the event', async () => {
      const events = await scene.client.list('v1', 'Event', imports);
      return events.some(({ reason }) => reason === 'FailedCreate');
    });
    await type(`kubectl -n ${imports} get jobs,pods`);
    const found = await type(`kubectl webhook doctor --from job/import -n ${imports}`);
    expect(found.code, found.output).to.equal(1);
    expect(found.output)
      .to.match(/2 Pods of Job/)
      .and.match(/scaled/);

    tell('`managedFields` show who scaled it. The remedy restores the previous number of replicas:');
    const fixed = await type(`kubectl webhook fix ${home} --remedy undo-scale-to-zero --yes`);
    expect(fixed.code, fixed.output).to.equal(0);
    await waitFor(
      'the Job to have its Pods',
      async () => {
        const job = await scene.client.get(named('batch/v1', 'Job', imports, 'import'));
        return job?.status?.active === 2;
      },
      { timeout: 240_000 },
    );
    await type(`kubectl -n ${imports} get jobs`);
    const after = await type(`kubectl webhook doctor --from job/import -n ${imports}`);
    expect(after.output).to.match(/No webhook blocks|healthy/i);
  },
};
