import { expect } from 'chai';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import {
  backendObjects,
  deployBackend,
  scale,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
} from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { doctorSays } from './doctor-says.ts';

const onPods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const inNamespace = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });
const outside = (...values: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }],
});

const named = (findings: readonly FindingReport[], check: string): FindingReport => {
  const found = findings.find((finding) => finding.check === check);
  if (found === undefined) throw new Error(`no ${check} in ${findings.map((one) => one.check).join(', ')}`);
  return found;
};

/** The API server's response to a dry-run create of a Pod: `created`, or its error. */
const tryPod = (scene: Scene, namespace: string): Promise<string> =>
  scene
    .create(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: 'probe-', namespace },
        spec: { containers: [{ name: 'probe', image: 'registry.example.com/none' }] },
      },
      { dryRun: true },
    )
    .then(
      () => 'created',
      (error: Error) => error.message,
    );

const refusedFor = (webhook: string): string => `failed calling webhook "${webhook}.example.com"`;

/** Waits until the Deployment reports that the API server refuses its Pods. */
const refusal = (scene: Scene, name: string, namespace = scene.namespace): Promise<string> =>
  waitFor(
    `the refusal of Pods of ${namespace}/${name}`,
    async () => {
      const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace } };
      const conditions = ((await scene.client.get(object))?.status?.conditions ?? []) as readonly {
        readonly type: string;
        readonly message: string;
      }[];
      const message = conditions.find(({ type }) => type === 'ReplicaFailure')?.message;
      return message?.includes('failed calling webhook') && message;
    },
    { timeout: 60_000 },
  );

const scaleIn = (scene: Scene, namespace: string, name: string, replicas: number) =>
  scale({ ...scene, client: scene.client, namespace }, name, replicas);
const endpointsIn = (scene: Scene, namespace: string, name: string, count: number) =>
  waitForEndpoints({ ...scene, client: scene.client, namespace }, name, count);

describe('doctor on a real cluster: scope', () => {
  needs('node');
  const scene = useScene(nodeCluster);
  let ca: Authority;
  before(async () => {
    ca = await authority({ cn: 'webhook-ca' });
  });

  const guard = (webhook: object, replicas = 1) => ({
    deploy: () => deployBackend(scene, { name: 'guard', ca, replicas }),
    register: () =>
      scene.create(
        validatingWebhook(scene.namespace, {
          service: 'guard',
          caBundle: ca.cert,
          webhook: { rules: [onPods], namespaceSelector: inNamespace(scene.namespace), ...webhook },
        }),
      ),
  });
  const callout = () => `guard-${scene.namespace}`;
  const failOpen = (configuration: KubeObject) =>
    scene.client.patch(configuration, {
      webhooks: (configuration.webhooks as readonly object[]).map((webhook) => ({
        ...webhook,
        failurePolicy: 'Ignore',
      })),
    });

  it('warns of a deadlock while all is well, and reads the facts for that by default', async () => {
    const { deploy, register } = guard({});
    await deploy();
    await register();
    // kube-proxy may not have processed the Service yet, which doctor would report.
    await waitFor('a call that succeeds', async () => (await tryPod(scene, scene.namespace)) === 'created');
    const { stdout } = await plugin(['doctor', '--kubeconfig', scene.kubeconfig, '-o', 'json']);
    const report = JSON.parse(stdout) as DoctorReport;
    const [said] = report.callouts.filter(({ configuration }) => configuration === callout());
    expect(said?.verdict).to.deep.include({ state: 'healthy', because: [] });
    const { severity, message } = named(report.findings, 'bootstrap-deadlock');
    expect(severity).to.equal('warning');
    expect(message).to.include(
      `If all Pods of Deployment ${scene.namespace}/guard are lost, none can be recreated`,
    );
  });

  it('names a deadlock that has happened, and its advice ends it', async () => {
    const { deploy, register } = guard({});
    await deploy();
    const configuration = await register();
    await scale(scene, 'guard', 0);
    await waitForEndpoints(scene, 'guard', 0);
    await waitFor('new Pods to be refused', async () =>
      (await tryPod(scene, scene.namespace)).includes(refusedFor('guard')),
    );
    await waitFor(
      'the last Pod to be gone',
      async () => (await scene.client.list('v1', 'Pod', scene.namespace)).length === 0,
    );
    const asleep = await doctorSays(scene.kubeconfig, callout());
    expect(asleep.callout.verdict.because[0]).to.equal('workload-scaled-to-zero');
    expect(named(asleep.findings, 'bootstrap-deadlock')).to.include({ severity: 'error' });

    await scale(scene, 'guard', 1);
    const text = await refusal(scene, 'guard');
    const { callout: said, findings } = await doctorSays(scene.kubeconfig, callout());
    expect(said.verdict).to.include({
      state: 'failing',
      link: 'scope',
      confidence: 'observed',
      effect: 'blocks',
    });
    expect(said.verdict.because).to.deep.equal([
      'bootstrap-deadlock',
      'workload-cannot-create-pods',
      'no-ready-endpoint',
    ]);
    const { severity, message, evidence } = named(findings, 'bootstrap-deadlock');
    expect(severity).to.equal('error');
    expect(evidence.map(({ value }) => value)).to.include(text);
    expect(message).to.include(
      `new Pods of Deployment ${scene.namespace}/guard because guard.example.com is down`,
    );

    await failOpen(configuration);
    // The controller waits longer after each refusal; a restart makes it retry at once.
    await scene.client.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'guard', namespace: scene.namespace } },
      { spec: { template: { metadata: { annotations: { restarted: 'now' } } } } },
    );
    await waitForEndpoints(scene, 'guard', 1);
  });

  it('reports nothing for a webhook that excludes its own namespace, and that one recovers', async () => {
    const other = `other-${scene.namespace}`;
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    const { deploy, register } = guard({
      namespaceSelector: { ...inNamespace(other), ...outside(scene.namespace) },
    });
    await deploy();
    await register();
    await scale(scene, 'guard', 0);
    await waitForEndpoints(scene, 'guard', 0);
    await waitFor('Pods elsewhere to be refused', async () =>
      (await tryPod(scene, other)).includes(refusedFor('guard')),
    );
    const checks = async () =>
      (await doctorSays(scene.kubeconfig, callout())).findings.map(({ check }) => check);
    expect(await checks()).to.not.include('bootstrap-deadlock');
    await scale(scene, 'guard', 1);
    await waitForEndpoints(scene, 'guard', 1);
    expect(await checks()).to.not.include('bootstrap-deadlock');
    expect((await doctorSays(scene.kubeconfig, callout())).callout.verdict.state).to.equal('healthy');
  });

  // Each request that a new Pod needs according to the model is required by the real control plane.
  const steps = [
    { resource: 'pods/binding', request: 'CREATE pods/binding' },
    { resource: 'serviceaccounts/token', request: 'CREATE serviceaccounts/token' },
    { resource: 'pods/status', request: 'UPDATE pods/status' },
    { resource: 'endpointslices', request: 'UPDATE endpointslices', group: 'discovery.k8s.io' },
  ];
  for (const { resource, request, group = '' } of steps) {
    it(`reports that no Pod starts while ${request} is rejected`, async () => {
      const operations = ['CREATE', 'UPDATE'];
      const rules = [
        { ...onPods, apiGroups: [group], operations, resources: [resource] },
        { ...onPods, resources: ['configmaps'] },
      ];
      const objects = await backendObjects(scene.namespace, { name: 'guard', ca, replicas: 1 });
      const [secret, service, deployment] = objects;
      if (secret === undefined || service === undefined || deployment === undefined)
        throw new Error('no backend');
      await scene.create(secret);
      await scene.create(service);
      // An empty EndpointSlice, as it remains after the last Pod.
      await waitFor('the EndpointSlice of the Service', async () => {
        const slices = await scene.client.list('discovery.k8s.io/v1', 'EndpointSlice', scene.namespace);
        return slices.length > 0;
      });
      const configuration = await guard({ rules }).register();
      await waitFor('the webhook to be asked', async () =>
        (await tryConfigMap(scene)).includes(refusedFor('guard')),
      );
      await scene.create(deployment);
      const verdict = await waitFor(
        'doctor to name the deadlock',
        async () => {
          const { callout: said } = await doctorSays(scene.kubeconfig, callout());
          return said.verdict.because[0] === 'bootstrap-deadlock' && said.verdict;
        },
        { timeout: 90_000, interval: 2000 },
      );
      expect(verdict).to.include({ state: 'failing', link: 'scope' });
      const { findings } = await doctorSays(scene.kubeconfig, callout());
      const { message, evidence } = named(findings, 'bootstrap-deadlock');
      expect(message + evidence.map(({ value }) => value).join('\n')).to.include(resource);
      await failOpen(configuration);
      await waitForEndpoints(scene, 'guard', 1);
    });
  }

  it('warns of two webhooks that depend on each other, and names them if both are down', async () => {
    const homes = { left: `left-${scene.namespace}`, right: `right-${scene.namespace}` };
    const sides = ['left', 'right'] as const;
    const other = { left: 'right', right: 'left' } as const;
    const configurations: KubeObject[] = [];
    for (const side of sides) {
      await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: homes[side] } });
      for (const object of await backendObjects(homes[side], { name: side, ca, replicas: 1 })) {
        await scene.create({ ...object, metadata: { ...object.metadata, namespace: homes[side] } });
      }
    }
    for (const side of sides) await endpointsIn(scene, homes[side], side, 1);
    for (const side of sides) {
      const webhook = { rules: [onPods], namespaceSelector: inNamespace(homes[other[side]]) };
      configurations.push(
        await scene.create(validatingWebhook(homes[side], { service: side, caBundle: ca.cert, webhook })),
      );
    }
    const says = (side: 'left' | 'right') => doctorSays(scene.kubeconfig, `${side}-${homes[side]}`);
    const before = await says('left');
    expect(before.callout.verdict.state).to.equal('healthy');
    expect(named(before.findings, 'deadlock-cycle').severity).to.equal('warning');

    for (const side of sides) await scaleIn(scene, homes[side], side, 0);
    for (const side of sides) await endpointsIn(scene, homes[side], side, 0);
    // A terminating one still accepts connections.
    for (const side of sides)
      await waitFor(
        `the Pods of ${side} to be gone`,
        async () => (await scene.client.list('v1', 'Pod', homes[side])).length === 0,
      );
    for (const side of sides)
      await waitFor(`new Pods of ${side} to be refused`, async () =>
        (await tryPod(scene, homes[side])).includes(refusedFor(other[side])),
      );
    for (const side of sides) await scaleIn(scene, homes[side], side, 1);
    for (const side of sides) {
      const text = await refusal(scene, side, homes[side]);
      expect(text).to.include(refusedFor(other[side]));
      const { callout: said, findings } = await says(side);
      expect(said.verdict).to.include({ state: 'failing', link: 'scope' });
      expect(said.verdict.because[0]).to.equal('deadlock-cycle');
      const { severity, message } = named(findings, 'deadlock-cycle');
      expect(severity).to.equal('error');
      expect(message).to.include(`Deployment ${homes[side]}/${side}`);
      // The workloads of the other namespace are not read for a named webhook.
      for (const one of sides) expect(message).to.include(` ${homes[one]}/${one}`);
    }
    for (const configuration of configurations) await failOpen(configuration);
  });
});
