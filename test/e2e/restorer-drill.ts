import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeEntry, ChangeReport } from '../../src/change/change-report.ts';
import type { KubeObject } from '../cluster/client.ts';
import { kubectlImage } from '../cluster/image.ts';
import { furnished, type Scene } from '../cluster/scene.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';

/** Everything that undo restores. */
function compared({ metadata, ...rest }: KubeObject): unknown {
  const { resourceVersion: _r, generation: _g, managedFields: _m, ...named } = metadata;
  return { ...rest, metadata: named };
}

/**
 * `failopen --restore-with=cronjob` to its end: a Pod in the cluster restores the webhook at the deadline,
 * and leaves nothing behind. Takes until the next full minute.
 */
export async function restorerDrill(scene: Scene, kubeconfig: string): Promise<void> {
  const { client } = scene;
  const namespace = `${scene.namespace}-restore`;
  const name = `restore-${scene.namespace}`;
  await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await furnished(client, namespace);
  const before = await scene.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: ['first', 'second'].map((webhook) => ({
      name: `${webhook}.restore.example.com`,
      clientConfig: { service: { namespace, name: 'nobody' } },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 1,
    })),
  });
  const live = async (): Promise<KubeObject> => (await client.get(before)) ?? before;
  const trial = (): Promise<string> =>
    client
      .create(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'trial-', namespace } },
        { dryRun: true },
      )
      .then(
        () => 'created',
        (error: Error) => error.message,
      );
  await waitFor('the refusal', async () => /service "nobody" not found/.test(await trial()));

  const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-restore-'));
  const run = async (...args: readonly string[]): Promise<readonly ChangeEntry[]> => {
    const { code, stdout, stderr } = await plugin([...args, '-o', 'json', '--kubeconfig', kubeconfig], {
      XDG_STATE_HOME: state,
    });
    expect(code, stderr + stdout).to.equal(0);
    return (JSON.parse(stdout) as ChangeReport).changes;
  };
  const brief = ['--yes', '--watch', '300ms', '--for', '60s'];
  const durable = ['--restore-with=cronjob', '--restore-image', kubectlImage, '-n', namespace];
  const [opened] = await run('failopen', name, ...brief, ...durable);
  expect(opened?.state, opened?.why).to.equal('verified');
  expect(opened?.checked?.join()).to.match(/CronJob \S+ restores it at \S+/);
  expect(await trial()).to.equal('created');
  const { annotations = {} } = (await live()).metadata;
  expect(Object.keys(annotations)).to.deep.equal([`kubectl-webhook/change-${opened?.id}`]);

  await waitFor(
    'the CronJob to close it again',
    async () => (await live()).webhooks.every(({ failurePolicy }: KubeObject) => failurePolicy === 'Fail'),
    { timeout: 240_000, interval: 1000 },
  );
  expect(compared(await live())).to.deep.equal(compared(before));
  const managers = (await live()).metadata.managedFields as { manager: string; time: string }[];
  const restored = managers.find(({ manager }) => manager === 'kubectl-webhook-restore');
  expect(Date.parse(restored?.time ?? '')).to.be.at.least(Date.parse(opened?.until ?? ''));
  await waitFor('the refusal as before', async () => /service "nobody" not found/.test(await trial()));

  const rbac = 'rbac.authorization.k8s.io/v1';
  const own = `kubectl-webhook-restore-${opened?.id}`;
  const helpers = [
    { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: own } },
    { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: own } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: own, namespace } },
    { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: own, namespace } },
  ];
  await waitFor(
    'all that it needed to be gone',
    async () => (await Promise.all(helpers.map((one) => client.get(one)))).every((one) => one === undefined),
    { timeout: 120_000, interval: 500 },
  );
  // Other cases change the same cluster at the same time.
  const told = (await run('changes')).find(({ id }) => id === opened?.id);
  expect(told).to.include({ state: 'undone', why: 'its CronJob restored it' });
  const [left] = await run('undo', opened?.id ?? '', '--yes');
  expect(left).to.include({ state: 'undone', why: 'the change is no longer in place' });
}
