import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { backendObjects, validatingWebhook, waitForEndpoints } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { backendImage } from '../cluster/image.ts';
import { network } from '../cluster/network.ts';
import { agentNetwork } from '../cluster/node.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority, issue } from '../support/certificates.ts';
import { type DoctorSays, doctorSays } from './doctor-says.ts';

const onPods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const provisioner = 'disks.example.com';
const driver = 'secrets.example.com';
/** The taints of the only node: each Pod tolerates all but the one that it waits for. */
const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized';
const noNetwork = 'node.kubernetes.io/network-unavailable';
const bearing = (...taints: readonly string[]) => ({
  tolerations: taints.map((key) => ({ key, operator: 'Exists' })),
});

/** A container of our image with a script. */
const running = (script: string, over: object = {}): object => ({
  name: 'main',
  image: backendImage,
  imagePullPolicy: 'Never',
  command: ['/usr/bin/node', '-e', script],
  ...over,
});
const forGood = 'setInterval(() => {}, 1e6);';

/** Responds to every address query with 192.0.2.1, and all others with an empty response. */
const dnsServer = `
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (asked, { port, address }) => {
  let at = 12;
  while (asked[at] !== 0) at += asked[at] + 1;
  const question = asked.subarray(12, at + 5);
  const isA = question[question.length - 3] === 1;
  const head = Buffer.from([asked[0], asked[1], 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  const answer = Buffer.from(isA ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1] : []);
  socket.send(Buffer.concat([head, question, answer]), port, address);
});
socket.bind(53);`;

/** Resolves a name before it serves; the program's own arguments come first. */
const lookingUp = `
require('node:dns').promises.lookup('vault.example.com').then(
  () => import('/backend.mjs'),
  (error) => { console.error(String(error)); process.exit(1); },
);`;

interface Waiting {
  /** Name of the backend's Service and Deployment, and with `-system` of its dependency. */
  readonly name: string;
  /** Merged over the Pod's spec of the backend, and over its container. */
  readonly pod: object;
  /** The taint that its Pods do not tolerate. */
  readonly taint?: string;
  readonly container?: object;
  /** Objects that must exist before, by default in the namespace of the system. */
  readonly before?: readonly KubeObject[];
  readonly supplier: KubeObject;
  /** Runs between the creation of the supplier and of its dependent. */
  readonly supplied?: (scene: Scene) => Promise<void>;
}

const systemOf = (scene: Scene, name: string): string => `${name}-${scene.namespace}`;

const workload = (kind: 'Deployment' | 'DaemonSet', name: string, spec: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { terminationGracePeriodSeconds: 1, ...bearing(uninitialized, noNetwork), ...spec },
    },
  },
});

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

/** A webhook without a replica that refuses the Pods of one namespace only. */
async function guardSystem(scene: Scene, ca: Authority, name: string): Promise<KubeObject> {
  const home = systemOf(scene, name);
  await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } });
  const webhook = {
    rules: [onPods],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': home } },
  };
  const configuration = await scene.create(
    validatingWebhook(scene.namespace, { service: name, caBundle: ca.cert, webhook }),
  );
  await waitFor(`Pods in ${home} to be refused`, async () =>
    (await tryPod(scene, home)).includes(`failed calling webhook "${name}.example.com"`),
  );
  return configuration;
}

const failOpen = (scene: Scene, configuration: KubeObject) =>
  scene.client.patch(configuration, {
    webhooks: (configuration.webhooks as readonly object[]).map((webhook) => ({
      ...webhook,
      failurePolicy: 'Ignore',
    })),
  });

/** Doctor's finding and its consequence, as soon as kubelet, scheduler and controllers have reported. */
const deadlock = (kubeconfig: string, callout: string, folded: string): Promise<DoctorSays> =>
  waitFor(
    `doctor to name the deadlock of ${callout}`,
    async () => {
      const said = await doctorSays(kubeconfig, callout);
      const { because } = said.callout.verdict;
      if (because[0] === 'bootstrap-deadlock' && because.includes(folded)) return said;
      throw new Error(JSON.stringify([said.callout.verdict, said.findings.map(({ message }) => message)]));
    },
    { timeout: 240_000, interval: 2000 },
  );

const runs = async ({ client, namespace }: Pick<Scene, 'client' | 'namespace'>, name: string) =>
  (await client.list('v1', 'Pod', `${name}-${namespace}`)).some(({ status }) => status?.phase === 'Running');

const theNode = async (client: Scene['client']): Promise<KubeObject> => {
  const [node] = await client.list('v1', 'Node');
  if (node === undefined) throw new Error('There is no node');
  return { ...node, apiVersion: 'v1', kind: 'Node' };
};
const taintsOf = async (client: Scene['client']): Promise<readonly { readonly key: string }[]> =>
  (await theNode(client)).spec?.taints ?? [];

/** As a route controller reports it; the node lifecycle controller adds and removes the taint. */
async function networkUnavailable(client: Scene['client'], status: 'True' | 'False'): Promise<void> {
  const node = await theNode(client);
  const others = (node.status.conditions as readonly { readonly type: string }[]).filter(
    ({ type }) => type !== 'NetworkUnavailable',
  );
  const conditions = [...others, { type: 'NetworkUnavailable', status, reason: 'Test', message: 'no route' }];
  await client.patch(node, { status: { conditions } }, 'status');
  await waitFor(
    `NetworkUnavailable ${status} to be heard of`,
    async () => (await taintsOf(client)).some(({ key }) => key === noNetwork) === (status === 'True'),
    { timeout: 60_000 },
  );
}

async function withoutTaint(client: Scene['client']): Promise<void> {
  const taints = (await taintsOf(client)).filter(({ key }) => key !== uninitialized);
  await client.patch(await theNode(client), { spec: { taints } });
}

/** Adds the taints of a node without routes and cloud initialization. */
async function taint({ client }: Scene): Promise<void> {
  await networkUnavailable(client, 'True');
  const taints = [...(await taintsOf(client)), { key: uninitialized, value: 'true', effect: 'NoSchedule' }];
  await client.patch(await theNode(client), { spec: { taints } });
}

interface Seen {
  readonly said: DoctorSays;
  readonly system: string;
}

describe('doctor on a real cluster: system Pods that a webhook rejects', function () {
  needs('node', 'own-node');
  this.timeout(600_000);
  let scene: Scene;
  let kubeconfig: string;
  let folder: string;
  let ca: Authority;
  const agentConfiguration = () => join(folder, agentNetwork, '10-bridge.conflist');
  const seen = new Map<string, Promise<Seen>>();

  /** Runs the case up to doctor's verdict, then checks that the Pods start without the webhook. */
  async function live(one: Waiting): Promise<Seen> {
    const { name } = one;
    const system = systemOf(scene, name);
    const [secret, service, deployment] = await backendObjects(scene.namespace, {
      name,
      ca,
      replicas: 1,
      podSpec: {
        ...bearing(...[uninitialized, noNetwork].filter((taint) => taint !== one.taint)),
        ...one.pod,
      },
      container: one.container ?? {},
    });
    if (secret === undefined || service === undefined || deployment === undefined) throw new Error('none');
    await scene.create(secret);
    await scene.create(service);
    const configuration = await guardSystem(scene, ca, name);
    const placed = (object: KubeObject) => ({
      ...object,
      metadata: { namespace: system, ...object.metadata },
    });
    for (const object of one.before ?? []) await scene.create(placed(object));
    await scene.create(placed(one.supplier));
    await scene.create(deployment);
    const folded = expected.find((other) => other.name === name)?.folded ?? '';
    const said = await deadlock(kubeconfig, `${name}-${scene.namespace}`, folded);
    await failOpen(scene, configuration);
    // Its controller waits longer after each refusal; a new revision is tried at once.
    await scene.client.patch(placed(one.supplier), {
      spec: { template: { metadata: { annotations: { restarted: 'now' } } } },
    });
    await one.supplied?.(scene);
    await waitForEndpoints(scene, name, 1);
    return { said, system };
  }

  before(async () => {
    const cluster = await nodeCluster();
    kubeconfig = cluster.kubeconfig;
    folder = cluster.folder ?? '';
    // An earlier run that failed may have left it.
    rmSync(agentConfiguration(), { force: true });
    ca = await authority({ cn: 'webhook-ca' });
    scene = await openScene(cluster.client);
    await taint(scene);
    const configuration = readFileSync(join(folder, 'cni/10-bridge.conflist'), 'utf8');
    const agent = (path: string) =>
      workload('DaemonSet', 'agent', {
        hostNetwork: true,
        tolerations: [{ operator: 'Exists' }],
        containers: [
          running(
            `require('node:fs').writeFileSync('/host/10-bridge.conflist', process.env.CONFIGURATION); ${forGood}`,
            {
              env: [{ name: 'CONFIGURATION', value: configuration }],
              volumeMounts: [{ name: 'cni', mountPath: '/host' }],
            },
          ),
        ],
        volumes: [{ name: 'cni', hostPath: { path, type: 'DirectoryOrCreate' } }],
      });
    const clusterIp = '203.0.113.253';
    const cases: readonly Waiting[] = [
      {
        name: 'network',
        pod: { runtimeClassName: agentNetwork },
        before: [
          {
            apiVersion: 'node.k8s.io/v1',
            kind: 'RuntimeClass',
            metadata: { name: agentNetwork },
            handler: agentNetwork,
          },
        ],
        supplier: agent(join(folder, agentNetwork)),
      },
      {
        name: 'storage',
        pod: {
          volumes: [
            { name: 'certs', secret: { secretName: 'storage' } },
            { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
          ],
        },
        before: [
          {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'StorageClass',
            metadata: { name: `disks-${scene.namespace}` },
            provisioner,
          },
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'data', namespace: scene.namespace },
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: `disks-${scene.namespace}`,
              resources: { requests: { storage: '1Mi' } },
            },
          },
        ],
        supplier: workload('Deployment', 'provisioner', {
          containers: [running(forGood, { env: [{ name: 'PROVISIONER_NAME', value: provisioner }] })],
        }),
        supplied: async ({ client, namespace, create }) => {
          await waitFor('the provisioner to run', () => runs({ client, namespace }, 'storage'), {
            timeout: 120_000,
          });
          // Replaces the real one.
          await create({
            apiVersion: 'v1',
            kind: 'PersistentVolume',
            metadata: { name: `data-${namespace}` },
            spec: {
              capacity: { storage: '1Mi' },
              accessModes: ['ReadWriteOnce'],
              storageClassName: `disks-${namespace}`,
              claimRef: { namespace, name: 'data' },
              persistentVolumeReclaimPolicy: 'Retain',
              hostPath: { path: join(folder, 'disk'), type: 'DirectoryOrCreate' },
            },
          });
        },
      },
      {
        name: 'names',
        pod: {
          dnsPolicy: 'None',
          dnsConfig: {
            nameservers: [clusterIp],
            options: [
              { name: 'timeout', value: '1' },
              { name: 'attempts', value: '1' },
            ],
          },
        },
        container: {
          command: ['/usr/bin/node', '-e', lookingUp],
          args: ['program', '--cert-dir', '/certs'],
        },
        before: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'resolver' },
            spec: {
              clusterIP: clusterIp,
              selector: { app: 'resolver' },
              ports: [{ name: 'dns', protocol: 'UDP', port: 53, targetPort: 53 }],
            },
          },
        ],
        supplier: workload('Deployment', 'resolver', { containers: [running(dnsServer)] }),
      },
      {
        name: 'node',
        taint: noNetwork,
        pod: {},
        supplier: agent(join(folder, 'node', 'cni')),
        // Replaces the real one.
        supplied: async (on) => {
          await waitFor('the agent to run', () => runs(on, 'node'), { timeout: 120_000 });
          await networkUnavailable(on.client, 'False');
        },
      },
      {
        name: 'cloud',
        taint: uninitialized,
        pod: {},
        supplier: workload('Deployment', 'manager', {
          containers: [running(forGood, { args: ['--', '--cloud-provider=example'] })],
        }),
        supplied: async (on) => {
          await waitFor('the cloud controller manager to run', () => runs(on, 'cloud'), { timeout: 120_000 });
          await withoutTaint(on.client);
        },
      },
      {
        name: 'driver',
        pod: {
          volumes: [
            { name: 'certs', secret: { secretName: 'driver' } },
            { name: 'data', csi: { driver } },
          ],
        },
        // A volume that no container mounts is ignored.
        container: {
          volumeMounts: [
            { name: 'certs', mountPath: '/certs' },
            { name: 'data', mountPath: '/data' },
          ],
        },
        before: [
          {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'CSIDriver',
            metadata: { name: driver },
            spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] },
          },
        ],
        supplier: workload('DaemonSet', 'plugin', {
          containers: [running(forGood, { env: [{ name: 'DRIVER', value: driver }] })],
        }),
        supplied: async (on) => {
          await waitFor('the plugin to run', () => runs(on, 'driver'), { timeout: 120_000 });
          const deployment = {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'driver', namespace: on.namespace },
          };
          const volumes = [
            { name: 'certs', secret: { secretName: 'driver' } },
            { name: 'data', emptyDir: {} },
          ];
          await on.client.patch(deployment, { spec: { template: { spec: { volumes } } } });
        },
      },
    ];
    for (const one of cases) {
      const found = live(one);
      // The case itself reports the error.
      found.catch(() => undefined);
      seen.set(one.name, found);
    }
  });

  after(async () => {
    await Promise.allSettled(seen.values());
    if (scene === undefined) return;
    await withoutTaint(scene.client);
    await networkUnavailable(scene.client, 'False');
    // The network that set up a sandbox must also remove it: without it the Pod stays in Terminating.
    writeFileSync(agentConfiguration(), readFileSync(join(folder, 'cni/10-bridge.conflist')));
    await scene.leave();
    const { client, namespace } = scene;
    // An agent that starts late would write the configuration again.
    const remaining = async () =>
      (await client.list('v1', 'Pod')).filter((pod) => pod.metadata.namespace?.endsWith(namespace));
    await waitFor('its Pods to be gone', async () => (await remaining()).length === 0, { timeout: 120_000 });
    rmSync(agentConfiguration(), { force: true });
  });

  const expected = [
    {
      name: 'network',
      chain: (system: string) => `the network of its node → DaemonSet ${system}/agent → Pod`,
      folded: 'replica-config-error',
      words: 'FailedCreatePodSandBox',
    },
    {
      name: 'storage',
      chain: (system: string) =>
        `a volume of ${provisioner} → Deployment ${system}/provisioner → ReplicaSet → Pod`,
      folded: 'replica-unschedulable',
      words: 'unbound immediate PersistentVolumeClaims',
    },
    {
      name: 'names',
      chain: (system: string) => `DNS → Deployment ${system}/resolver → ReplicaSet → Pod`,
      folded: 'replica-crash-looping',
      words: 'EAI_AGAIN',
    },
    {
      name: 'node',
      chain: (system: string) => `a ready node → DaemonSet ${system}/agent → Pod`,
      folded: 'replica-unschedulable',
      words: noNetwork,
    },
    {
      name: 'cloud',
      chain: (system: string) => `a cloud-initialized node → Deployment ${system}/manager → ReplicaSet → Pod`,
      folded: 'replica-unschedulable',
      words: uninitialized,
    },
    {
      name: 'driver',
      chain: (system: string) => `the volume driver ${driver} → DaemonSet ${system}/plugin → Pod`,
      folded: 'replica-volume-missing',
      words: `driver name ${driver} not found in the list of registered CSI drivers`,
    },
  ];
  for (const { name, chain, folded, words } of expected) {
    it(`follows its own Pods to ${name}, which is the only thing that blocks them`, async () => {
      const found = seen.get(name);
      if (found === undefined) throw new Error(`nobody lived through ${name}`);
      const { said, system } = await found;
      const { namespace } = scene;
      expect(said.callout.verdict).to.include({ state: 'failing', link: 'scope', confidence: 'observed' });
      expect(said.callout.verdict.because).to.include(folded);
      const finding = said.findings.find(({ check }) => check === 'bootstrap-deadlock');
      const evidence = finding?.evidence.map(({ value }) => value) ?? [];
      expect(evidence).to.include(
        `Deployment ${namespace}/${name} → ReplicaSet → Pod → ${chain(system)} → webhook ${name}.example.com → Service ${namespace}/${name} → Deployment ${namespace}/${name}`,
      );
      expect(
        evidence.some((value) => value.includes(words)),
        evidence.join('\n'),
      ).to.equal(true);
      expect(
        evidence.some((value) => value.includes(`failed calling webhook "${name}.example.com"`)),
      ).to.equal(true);
    });
  }

  it('follows a URL of the API server’s own host to the rejected Pods there', async () => {
    const name = `hosted-${scene.namespace}`;
    const port = 18444;
    const url = `https://127.0.0.1:${port}/validate`;
    const { cert, key } = await issue(ca, { ips: ['127.0.0.1'] });
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'kube-system' },
      stringData: { 'tls.crt': cert, 'tls.key': key },
    });
    const host = workload('DaemonSet', name, {
      hostNetwork: true,
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: 'main',
          image: backendImage,
          imagePullPolicy: 'Never',
          args: ['--cert-dir', '/certs', '--port', `${port}`],
          ports: [{ containerPort: port }],
          volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
        },
      ],
      volumes: [{ name: 'certs', secret: { secretName: name } }],
    });
    const placed = { ...host, metadata: { name, namespace: 'kube-system' } };
    await scene.create(placed);
    await waitFor('it to listen', () => answers('127.0.0.1', port), { timeout: 60_000 });
    const made = validatingWebhook(scene.namespace, {
      service: name,
      caBundle: ca.cert,
      webhook: {
        clientConfig: { url, caBundle: Buffer.from(ca.cert).toString('base64') },
        rules: [onPods],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
        objectSelector: { matchLabels: { app: name } },
      },
    });
    const configuration = await scene.create({ ...made, metadata: { name } });
    const itself = `DaemonSet kube-system/${name}`;
    const chain = `${itself} → Pod → webhook ${name}.example.com → URL ${url} → ${itself}`;
    const told = async () => {
      const { callout, findings } = await doctorSays(kubeconfig, name);
      return { callout, finding: findings.find(({ check }) => check === 'bootstrap-deadlock') };
    };
    const well = await told();
    expect(well.callout.verdict.state).to.equal('healthy');
    expect(well.finding?.severity).to.equal('warning');
    expect(well.finding?.message).to.match(/^If all Pods of DaemonSet .* are lost, none can be recreated/);
    expect(well.finding?.evidence.map(({ value }) => value)).to.include(chain);

    // Selects a node that does not exist, and later any node.
    const on = (nodeSelector: object | null) =>
      scene.client.patch(placed, { spec: { template: { spec: { nodeSelector } } } });
    await on({ nowhere: 'yes' });
    await waitFor('its Pod to be gone', async () => !(await answers('127.0.0.1', port)), { timeout: 60_000 });
    await on(null);
    const stuck = await waitFor(
      'doctor to name the deadlock',
      async () => {
        const now = await told();
        if (now.callout.verdict.because[0] === 'bootstrap-deadlock') return now;
        throw new Error(JSON.stringify([now.callout.verdict, now.finding?.message]));
      },
      { timeout: 90_000, interval: 1000 },
    );
    expect(stuck.callout.verdict).to.include({ state: 'failing', link: 'scope', confidence: 'observed' });
    expect(stuck.finding?.message).to.include(`The API server refuses new Pods of ${itself}`);
    expect(stuck.finding?.evidence.map(({ value }) => value)).to.include(chain);
    expect(stuck.finding?.evidence[0]?.value).to.include(
      `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
    await failOpen(scene, configuration);
    await scene.client.patch(placed, {
      spec: { template: { metadata: { annotations: { restarted: 'now' } } } },
    });
    await waitFor('it to listen again', () => answers('127.0.0.1', port), { timeout: 120_000 });
  });

  it('reports that a static Pod runs although its mirror Pod is rejected', async () => {
    const name = 'static';
    const port = 18443;
    const [secret, service] = await backendObjects(scene.namespace, { name, ca, replicas: 1 });
    if (secret === undefined || service === undefined) throw new Error('none');
    await scene.create(secret);
    await scene.create(service);
    const configuration = await guardSystem(scene, ca, name);
    const namespace = systemOf(scene, name);
    const manifest = join(folder, 'manifests', `${name}.json`);
    const pods = async () =>
      (await scene.client.list('v1', 'Pod', namespace)).map(({ status }) => status?.phase);
    try {
      writeFileSync(
        manifest,
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace },
          spec: {
            hostNetwork: true,
            terminationGracePeriodSeconds: 1,
            containers: [running(`require('node:net').createServer().listen(${port});`)],
          },
        }),
      );
      await waitFor('the static Pod to answer', () => answers(network.node, port), { timeout: 60_000 });
      expect(await pods()).to.deep.equal([]);
      await failOpen(scene, configuration);
      await waitFor('its mirror Pod', async () => (await pods()).includes('Running'), { timeout: 90_000 });
    } finally {
      rmSync(manifest, { force: true });
    }
    await waitFor('the mirror Pod to be gone', async () => (await pods()).length === 0, { timeout: 60_000 });
  });
});

/** Whether a port accepts connections. */
const answers = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
