import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  deployBackend,
  scale,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
  waitForNoEndpoint,
} from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { type DoctorSays, doctorSays } from './doctor-says.ts';

const writing = `require('node:fs').writeFileSync('/host/10-bridge.conflist', process.env.CONFIGURATION);
process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1000)`;

/** Writes the configuration of the network to the node, as CNI plugins do. */
const agent = (namespace: string, path: string, configuration: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: {
        hostNetwork: true,
        terminationGracePeriodSeconds: 1,
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            name: 'agent',
            image: backendImage,
            imagePullPolicy: 'Never',
            command: ['/usr/bin/node', '-e', writing],
            env: [{ name: 'CONFIGURATION', value: configuration }],
            volumeMounts: [{ name: 'cni', mountPath: '/host' }],
          },
        ],
        volumes: [{ name: 'cni', hostPath: { path } }],
      },
    },
  },
});

const readiness = async ({
  client,
}: Scene): Promise<{ status: string; message: string; tainted: boolean }> => {
  const [node] = await client.list('v1', 'Node');
  const conditions = (node?.status?.conditions ?? []) as readonly {
    readonly type: string;
    readonly status: string;
    readonly message: string;
  }[];
  const taints = (node?.spec?.taints ?? []) as readonly { readonly key: string }[];
  const { status = '', message = '' } = conditions.find(({ type }) => type === 'Ready') ?? {};
  return { status, message, tainted: taints.some(({ key }) => key === 'node.kubernetes.io/not-ready') };
};

describe('doctor on a real cluster: a node without network, and a webhook that blocks the network Pods', function () {
  needs('node', 'own-node');
  this.timeout(240_000);
  let scene: Scene;
  let system: string;
  let file: string;
  let configuration: string;
  let said: DoctorSays;
  let guard: KubeObject;
  let supplier: KubeObject;

  before(async () => {
    const cluster = await nodeCluster();
    const cni = join(cluster.folder ?? '', 'cni');
    file = join(cni, '10-bridge.conflist');
    configuration = readFileSync(file, 'utf8');
    scene = await openScene(cluster.client);
    system = `network-${scene.namespace}`;
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: system } });
    const ca = await authority({ cn: 'webhook-ca' });
    await deployBackend(scene, {
      name: 'guard',
      ca,
      replicas: 1,
      podSpec: { terminationGracePeriodSeconds: 1 },
    });
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods', 'configmaps'] },
    ];
    const values = [system];
    const namespaceSelector = {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }],
    };
    guard = await scene.create(
      validatingWebhook(scene.namespace, {
        service: 'guard',
        caBundle: ca.cert,
        webhook: { rules, namespaceSelector },
      }),
    );
    // The network that set up a sandbox must also remove it: the Pod is deleted first.
    await scale(scene, 'guard', 0);
    await waitForNoEndpoint(scene, 'guard');
    await waitFor('its Pod to be gone', async () => {
      return (await scene.client.list('v1', 'Pod', scene.namespace, 'app=guard')).length === 0;
    });
    rmSync(file);
    await waitFor('the node to be not ready', async () => (await readiness(scene)).tainted, {
      timeout: 60_000,
    });
    await scale(scene, 'guard', 1);
    supplier = await scene.create(agent(system, cni, configuration));
    said = await waitFor(
      'doctor to name the deadlock',
      async () => {
        const now = await doctorSays(cluster.kubeconfig, `guard-${scene.namespace}`);
        if (now.callout.verdict.because[0] === 'bootstrap-deadlock') return now;
        throw new Error(JSON.stringify([now.callout.verdict, now.findings.map(({ message }) => message)]));
      },
      { timeout: 60_000, interval: 1000 },
    );
  });
  after(async () => {
    if (configuration !== undefined) writeFileSync(file, configuration);
    if (scene === undefined) return;
    await waitFor('the node to be ready', async () => !(await readiness(scene)).tainted, { timeout: 60_000 });
    await scene.leave();
  });

  it('has the message of the kubelet', async () => {
    const { status, message } = await readiness(scene);
    expect(status).to.equal('False');
    expect(message).to.include('NetworkPluginNotReady');
  });

  it('is reported with the whole chain', () => {
    const found = said.findings.find(({ check }) => check === 'bootstrap-deadlock');
    expect(found, JSON.stringify(said.findings)).to.include({ severity: 'error' });
    expect(found?.message).to.include(`Pods of Deployment ${scene.namespace}/guard wait for a ready node`);
    expect(found?.evidence.map(({ value }) => value).join('\n')).to.include(
      `a ready node → DaemonSet ${system}/agent → Pod`,
    );
    expect(said.callout.verdict).to.include({ state: 'failing', effect: 'blocks' });
  });

  it('is Ready after the webhook is removed', async () => {
    const webhooks = (guard.webhooks as readonly object[]).map((one) => ({
      ...one,
      failurePolicy: 'Ignore',
    }));
    await scene.client.patch(guard, { webhooks });
    const metadata = { annotations: { restarted: 'now' } };
    await scene.client.patch(supplier, { spec: { template: { metadata } } });
    await waitForEndpoints(scene, 'guard', 1);
    expect(readFileSync(file, 'utf8')).to.equal(configuration);
    await waitFor('the webhook to answer', async () => (await tryConfigMap(scene)) === 'created');
  });
});
