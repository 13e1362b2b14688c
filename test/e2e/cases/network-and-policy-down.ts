import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { backendObjects, validatingWebhook } from '../../cluster/backend-pods.ts';
import { backendImage } from '../../cluster/image.ts';
import { agentNetwork } from '../../cluster/node.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, named, only, type Stage } from './case.ts';
import { refusedPods, rolledOut } from './pods.ts';

const [network, policy] = ['network-agent', 'policy-engine'];

/** Writes the network's configuration for the container runtime, as the agent of a network plugin does. */
const agentProgram = `require('node:fs').writeFileSync('/host/10-bridge.conflist', process.env.CONFIGURATION); setInterval(() => {}, 1e6);`;

/** The agent of a network that only Pods of its RuntimeClass use. */
const agent = (folder: string) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: {
        hostNetwork: true,
        tolerations: [{ operator: 'Exists' }],
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'agent',
            image: backendImage,
            imagePullPolicy: 'Never',
            command: ['/usr/bin/node', '-e', agentProgram],
            env: [
              {
                name: 'CONFIGURATION',
                value: readFileSync(join(folder, 'cni/10-bridge.conflist'), 'utf8'),
              },
            ],
            volumeMounts: [{ name: 'cni', mountPath: '/host' }],
          },
        ],
        volumes: [{ name: 'cni', hostPath: { path: join(folder, agentNetwork) } }],
      },
    },
  },
});

const eventsOf = async ({ scene, home }: Stage, namespace: string, reason: string): Promise<boolean> =>
  (await scene.client.list('v1', 'Event', home(namespace))).some((event) => event.reason === reason);

/** The network that set up a sandbox must also remove it; the next suite starts without that network. */
async function takeDown({ scene }: Stage, folder: string, engine: string): Promise<void> {
  const configuration = join(folder, agentNetwork, '10-bridge.conflist');
  copyFileSync(join(folder, 'cni/10-bridge.conflist'), configuration);
  await scene.client.delete(named('apps/v1', 'Deployment', engine, 'guard'));
  await waitFor(
    'its Pods to be gone',
    async () => (await scene.client.list('v1', 'Pod', engine)).length === 0,
    {
      timeout: 120_000,
    },
  );
  rmSync(configuration, { force: true });
}

export const networkAndPolicyDown: Case = {
  name: 'network-and-policy-down',
  title: 'Network agent and policy engine are both down, and nothing starts',
  namespaces: [network, policy],
  needs: 'own-node',

  async play(stage) {
    const folder = dirname(stage.kubeconfig);
    try {
      await playOn(stage, folder);
    } finally {
      await takeDown(stage, folder, stage.home(policy));
    }
  },
};

async function playOn(stage: Stage, folder: string): Promise<void> {
  const { ca, scene, tell, type } = stage;
  const [agents, engine] = [stage.home(network), stage.home(policy)];
  await scene.apply({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: agentNetwork },
    handler: agentNetwork,
  } as never);
  const made = validatingWebhook(engine, {
    service: 'guard',
    caBundle: ca.cert,
    webhook: {
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      // Its own namespace is correctly excluded.
      namespaceSelector: only(agents),
    },
  });
  await scene.create({ ...made, metadata: { name: engine } });
  await waitFor('Pods to be refused', () => refusedPods(stage, network));
  await stage.inside(network).create(agent(folder));
  const options = { name: 'guard', ca, podSpec: { runtimeClassName: agentNetwork } };
  for (const object of await backendObjects(engine, options)) await stage.inside(policy).create(object);

  tell(`After a power failure all nodes are new, and every Pod must be created again. The policy engine excludes its own
namespace, so its Pods are created, but they have no network. The network agent has no Pod: the API server must call the
webhook of the policy engine before it admits one.`);
  await waitFor('the agent to be refused', () => eventsOf(stage, network, 'FailedCreate'), {
    timeout: 90_000,
  });
  await waitFor('the sandboxes to fail', () => eventsOf(stage, policy, 'FailedCreatePodSandBox'), {
    timeout: 90_000,
  });
  const ring = `Deployment ${engine}/guard → ReplicaSet → Pod → the network of its node → DaemonSet ${agents}/agent → Pod → webhook guard.example.com → Service ${engine}/guard → Deployment ${engine}/guard`;
  await waitFor(
    'kubelet and controllers to have said all of it',
    async () => (await stage.look(`kubectl webhook doctor ${engine} -o json`)).output.includes(ring),
    { timeout: 120_000, interval: 1000 },
  );
  await type(`kubectl -n ${agents} get daemonsets`);
  await type(`kubectl -n ${engine} get deployments`);
  const found = await type(`kubectl webhook doctor ${engine}`);
  expect(found.code, found.output).to.equal(1);
  expect(found.output).to.include('flip-failure-policy');

  tell(`One of the two must start without the other. While the webhook fails open, the Pod of the agent is created, the
network works, and the policy engine starts.`);
  const fixed = await type(
    `kubectl webhook fix bootstrap-deadlock:validating/${engine}/guard.example.com --remedy flip-failure-policy --yes`,
  );
  expect(fixed.code, fixed.output).to.equal(0);
  // Its controller waits longer after each refusal; a new revision is tried at once.
  await type(`kubectl -n ${agents} rollout restart daemonset agent`);
  await rolledOut(stage, policy, 'guard');
  await type(`kubectl -n ${engine} get deployments`);

  tell('Restore the failurePolicy:');
  const undone = await type(`kubectl webhook undo --yes`);
  expect(undone.code, undone.output).to.equal(0);
  const configuration = await scene.client.get(
    named('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', '', engine),
  );
  expect(configuration?.webhooks[0].failurePolicy).to.equal('Fail');
  await rolledOut(stage, policy, 'guard');
  const after = await type(`kubectl webhook doctor ${engine}`);
  expect(after.code, after.output).to.equal(0);
}
