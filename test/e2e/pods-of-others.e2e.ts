import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import {
  deployBackend,
  scale,
  validatingWebhook,
  waitForEndpoints,
  waitForNoEndpoint,
} from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { pauseImage } from '../cluster/image.ts';
import { furnished, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';
import { ca } from './backend/breaks.ts';
import { doctorSays } from './doctor-says.ts';

const labels = { app: 'cart' };
const container = { name: 'main', image: pauseImage, imagePullPolicy: 'Never' };

/** A Pod of an application that no webhook needs. */
const cartPod = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { terminationGracePeriodSeconds: 0, containers: [container], ...spec },
});

const cart: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cart' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
  },
};

const rule = (resource: string, ...operations: readonly string[]) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations,
  resources: [resource],
});

/** The configuration of the webhook `guard`, as a mutating one. */
const mutating = ({ namespace }: Scene, webhook: object): KubeObject => ({
  ...validatingWebhook(namespace, { service: 'guard', caBundle: ca.cert, webhook }),
  kind: 'MutatingWebhookConfiguration',
});

const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => '',
    ({ message }: Error) => message,
  );

describe('doctor on a real cluster: Pods of others', function () {
  needs('node');
  this.timeout(240_000);
  const scene = useScene(nodeCluster);
  const says = (...flags: readonly string[]) =>
    doctorSays(scene.kubeconfig, `guard-${scene.namespace}`, '--probe', 'review', ...flags);

  it('cannot be created, because the webhook denies that the API server counts them for a quota', async () => {
    await deployBackend(scene, {
      name: 'guard',
      ca,
      replicas: 1,
      args: ['--answer', 'deny', '--message', 'no'],
    });
    const quota = await scene.create({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'team' },
      spec: { hard: { pods: '9' } },
    });
    await waitFor('the first count', async () => (await scene.client.get(quota))?.status?.used !== undefined);
    const rules = [rule('resourcequotas/status', 'UPDATE')];
    await scene.create(
      validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert, webhook: { rules } }),
    );
    await waitFor('the denial of a count', async () =>
      /denied/.test(await refusal(scene.client.patch(quota, { status: { used: { pods: '8' } } }, 'status'))),
    );
    await scene.create(cart);
    await waitFor(
      'a refused Pod',
      async () =>
        (await scene.client.list('v1', 'Event', scene.namespace)).some(
          ({ reason }) => reason === 'FailedCreate',
        ),
      { timeout: 60_000 },
    );
    const { findings } = await says();
    const found = findings.find(({ check }) => check === 'workload-creation-blocked');
    expect(found?.message, JSON.stringify(findings)).to.include(
      'the webhook denies the update of resourcequotas/status',
    );
  });

  it('cannot be updated, because the patch of the webhook adds a container', async () => {
    const add = [{ op: 'add', path: '/spec/containers/-', value: { ...container, name: 'proxy' } }];
    await deployBackend(scene, {
      name: 'guard',
      ca,
      replicas: 1,
      args: ['--answer', 'patch', '--patch', JSON.stringify(add)],
    });
    const stored = await scene.create(cartPod('old'));
    const objectSelector = { matchLabels: labels };
    await scene.create(mutating(scene, { rules: [rule('pods', 'CREATE', 'UPDATE')], objectSelector }));
    let error = '';
    await waitFor('the update to be refused', async () => {
      error = await refusal(scene.client.patch(stored, { metadata: { labels: { team: 'a' } } }));
      return error.includes('pod updates may not add or remove containers');
    }).catch((failure: Error) => expect.fail(`${failure.message}: ${error}`));
    const file = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-pods-')), 'pod.json');
    writeFileSync(
      file,
      JSON.stringify({
        ...cartPod('old'),
        metadata: { ...cartPod('old').metadata, namespace: scene.namespace },
      }),
    );
    const { findings } = await says('-f', file);
    const found = findings.find(({ check }) => check === 'response-patch-invalid');
    expect(found?.message, JSON.stringify(findings)).to.match(/^On UPDATE, the patch of .* adds containers/);
    const { stdout } = await plugin(['explain', error, '--no-cluster']);
    expect(stdout).to.include('mutating webhook').and.include('UPDATE');
  });

  it('preempt those of the webhook', async () => {
    const [node] = await scene.client.list('v1', 'Node');
    if (node === undefined) throw new Error('There is no node');
    const resource = 'example.com/licenses';
    const requests = { resources: { requests: { [resource]: '1' }, limits: { [resource]: '1' } } };
    const priority = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: `high-${scene.namespace}` },
    };
    await scene.client.patch(node, { status: { capacity: { [resource]: '1' } } }, 'status');
    try {
      await scene.create({ ...priority, value: 1000 });
      await waitFor(
        'the resource of the node',
        async () => {
          const seen = await scene.client.get(node);
          return seen?.status.allocatable[resource] === '1';
        },
        { timeout: 60_000 },
      );
      await deployBackend(scene, { name: 'guard', ca, replicas: 1, container: requests });
      await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
      await scene.create(
        cartPod('urgent', {
          priorityClassName: priority.metadata.name,
          containers: [{ ...container, ...requests }],
        }),
      );
      await waitForNoEndpoint(scene, 'guard');
      const { callout, findings } = await waitFor('the new Pod to be Pending', async () => {
        const said = await says();
        return said.callout.verdict.because[0] === 'replica-unschedulable' && said;
      });
      expect(callout.verdict).to.include({ state: 'failing', link: 'replica' });
      expect(findings.find(({ check }) => check === 'replica-unschedulable')?.message).to.match(
        /Pod case-\w+\/urgent has a higher priority and preempted Pod guard-/,
      );
    } finally {
      await scene.client.patch(node, { status: { capacity: { [resource]: null } } }, 'status');
      await scene.client.delete(priority);
    }
  });

  it('request injection: of one that is older than the webhook, and one whose namespace it excludes', async () => {
    const { namespace } = scene;
    await deployBackend(scene, { name: 'guard', ca, replicas: 1, args: ['--answer', 'patch'] });
    const requesting = (name: string, metadata: object): KubeObject => {
      const pod = cartPod(name);
      return { ...pod, metadata: { ...pod.metadata, ...metadata } };
    };
    await scene.create(requesting('older', { annotations: { 'sidecar.acme.io/inject': 'true' } }));
    await sleep(1_100);
    const rules = [rule('pods', 'CREATE')];
    const label = { 'admission.acme.io/enabled': 'true' };
    const configuration = mutating(scene, { rules, name: 'pods.acme.io' });
    const [first] = configuration.webhooks;
    const here = { key: 'kubernetes.io/metadata.name', values: [namespace] };
    await scene.create({
      ...configuration,
      webhooks: [
        {
          ...first,
          namespaceSelector: { matchExpressions: [{ ...here, operator: 'In' }] },
          objectSelector: {
            matchExpressions: [{ key: 'admission.acme.io/enabled', operator: 'DoesNotExist' }],
          },
        },
        {
          ...first,
          name: 'labelled.acme.io',
          namespaceSelector: { matchExpressions: [{ ...here, operator: 'NotIn' }] },
          objectSelector: { matchLabels: label },
        },
      ],
    });
    await scene.create(requesting('excluded', { labels: { ...labels, ...label } }));
    const { stdout } = await plugin(['doctor', '-o', 'json', '--kubeconfig', scene.kubeconfig]);
    const said = (JSON.parse(stdout) as DoctorReport).findings
      .filter(({ check, message }) => check === 'pods-without-injection' && message.includes(namespace))
      .map(({ message }) => message.replaceAll(namespace, 'NS').replace(/\d{4}-\S+Z/, 'TIME'));
    expect(said).to.have.members([
      '1 Pod (NS/older) requested injection (sidecar.acme.io/inject=true) before pods.acme.io was created (TIME)',
      'labelled.acme.io does not match 1 Pod (NS/excluded), although injection is requested (admission.acme.io/enabled=true): its selectors exclude the Pod or its namespace',
    ]);
  });

  it('were not changed while the Deployment of the webhook was not available, and others were', async () => {
    const shop = `${scene.namespace}-shop`;
    const inShop = { matchLabels: { 'kubernetes.io/metadata.name': shop } };
    await deployBackend(scene, { name: 'guard', ca, replicas: 1, args: ['--answer', 'patch'] });
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: shop } });
    await furnished(scene.client, shop);
    const rules = [rule('pods', 'CREATE')];
    await scene.create(mutating(scene, { rules, namespaceSelector: inShop, failurePolicy: 'Ignore' }));
    await scale(scene, 'guard', 0);
    await waitForNoEndpoint(scene, 'guard');
    await sleep(1_100);
    const workload = await scene.create({ ...cart, metadata: { name: 'cart', namespace: shop } });
    const pods = () => scene.client.list('v1', 'Pod', shop);
    await waitFor('the Pod', async () => (await pods()).length === 1);
    const missed = async () =>
      (await says()).findings
        .filter(({ check }) => check === 'pods-without-injection')
        .map(({ message }) => message);
    await scale(scene, 'guard', 1);
    await waitForEndpoints(scene, 'guard', 1);
    const [message, ...others] = await missed();
    expect(others).to.deep.equal([]);
    expect(message).to.match(/whose Pods have been Ready only since .*, has not changed 1 Pod /);
    // Found without the name of the webhook, too, although it was installed a minute ago.
    const { stdout } = await plugin(['doctor', '-o', 'json', '--kubeconfig', scene.kubeconfig]);
    expect(stdout).to.include(message);
    const isChanged = ({ metadata }: KubeObject) => metadata.labels?.['patched-by-webhook'] === 'true';
    const trial = cartPod('trial');
    await waitFor('a test Pod to be changed', async () =>
      isChanged(
        await scene.create({ ...trial, metadata: { ...trial.metadata, namespace: shop } }, { dryRun: true }),
      ),
    );
    // Recreated, the Pod is changed.
    const template = { metadata: { annotations: { restarted: 'now' } } };
    await scene.client.patch(workload, { spec: { template } });
    await waitFor(
      'the new Pod alone',
      async () => {
        const [pod, another] = await pods();
        return pod !== undefined && another === undefined && isChanged(pod);
      },
      { timeout: 60_000 },
    );
    expect(await missed()).to.deep.equal([]);
  });
});
