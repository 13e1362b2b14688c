import { expect } from 'chai';
import { backendObjects, validatingWebhook, waitForEndpoints } from '../../cluster/backend-pods.ts';
import type { KubeObject } from '../../cluster/client.ts';
import { waitFor } from '../../cluster/wait.ts';
import { type Case, named, type Stage } from './case.ts';
import { daemonSetOf } from './pods.ts';

const policy = 'policy-engine';
const agent = 'network-agent';
/** Where the Pods of the network are: a name that the page need not hide. */
const system = 'kube-system';

const nodes = (stage: Stage): Promise<KubeObject[]> => stage.scene.client.list('v1', 'Node');

/** What the network's agent tells of its node, as Calico's and Cilium's do; the control plane makes a taint of it. */
async function tellNetwork(stage: Stage, up: boolean): Promise<void> {
  const condition = {
    type: 'NetworkUnavailable',
    status: up ? 'False' : 'True',
    reason: up ? 'AgentIsUp' : 'NoAgent',
    message: up ? 'the agent runs on this node' : 'no agent runs on this node',
    lastTransitionTime: new Date().toISOString(),
    lastHeartbeatTime: new Date().toISOString(),
  };
  const [node] = await nodes(stage);
  await stage.scene.client.request(
    'PATCH',
    `/api/v1/nodes/${node?.metadata.name}/status`,
    { status: { conditions: [condition] } },
    'application/strategic-merge-patch+json',
  );
  await waitFor(`the taint to ${up ? 'go' : 'come'}`, async () => {
    const [now] = await nodes(stage);
    const taints = (now?.spec.taints ?? []) as readonly { readonly key: string }[];
    return taints.some(({ key }) => key === 'node.kubernetes.io/network-unavailable') !== up;
  });
}

const agentOf = named('apps/v1', 'DaemonSet', system, agent);

export const networkAndPolicyDown: Case = {
  name: 'network-and-policy-down',
  title: 'Network and policy engine are down together, and nothing starts',
  namespaces: [policy],
  alone: true,

  async play(stage) {
    const { ca, scene, tell, type } = stage;
    const home = stage.home(policy);
    await tellNetwork(stage, false);
    const made = validatingWebhook(home, {
      service: 'policy',
      caBundle: ca.cert,
      webhook: {
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        // Its own Pods are left out, as the good books say; those of the network are not.
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [home] }],
        },
        objectSelector: { matchLabels: { app: agent } },
      },
    });
    await scene.create({ ...made, metadata: { name: home } });
    for (const object of await backendObjects(home, { name: 'policy', ca })) {
      await stage.inside(policy).create(object);
    }
    const tolerations = [{ operator: 'Exists' }];
    await scene.create({
      ...daemonSetOf(agent, { tolerations, hostNetwork: false }),
      metadata: { name: agent, namespace: system },
    });
    await waitFor('the refusal', async () => {
      const events = await scene.client.list('v1', 'Event', system);
      return events.some(
        ({ reason, involvedObject }) => reason === 'FailedCreate' && involvedObject.name === agent,
      );
    });
    await waitFor('the scheduler to say why', async () => {
      const pods = await scene.client.list('v1', 'Pod', home);
      const told = pods.filter(({ status }) =>
        status.conditions?.some(({ message }: { message?: string }) =>
          message?.includes('network-unavailable'),
        ),
      );
      return told.length === 2;
    });
    tell(`The power was gone, and all nodes start together. The network's agent has to run on a node before other Pods
can; its Pods must pass the policy engine's webhook, which fails closed. The policy engine's own Pods are left out of
the webhook, but no node takes them: none has a network. Each waits for the other. (The webhook of this page is limited
to the Pods of the network by its objectSelector; in real life it covers everything.)`);
    await type(`kubectl -n ${system} get daemonset ${agent}`);
    await type(`kubectl -n ${home} get pods`);
    const found = await type(`kubectl webhook doctor ${home}`);
    expect(found.code, found.output).to.equal(1);
    expect(found.output)
      .to.match(/no ready node/)
      .and.include('kube-system');
    const victim = await type(`kubectl webhook doctor --from daemonset/${agent} -n ${system}`);
    expect(victim.code, victim.output).to.equal(1);

    tell(`One change breaks the ring. Webhook configurations are never sent to webhooks, so this works however stuck the
cluster is.`);
    const opened = await type(`kubectl webhook failopen ${home} --yes`);
    expect(opened.code, opened.output).to.equal(0);
    await waitFor('the agent', async () => (await scene.client.get(agentOf))?.status?.numberReady === 1, {
      timeout: 120_000,
    });
    await tellNetwork(stage, true);
    await waitForEndpoints(stage.inside(policy), 'policy', 2);
    tell(
      'The agent came, the node got its network, the policy engine came after it. Now the webhook can be closed.',
    );
    await type(`kubectl -n ${system} get daemonset ${agent}`);
    const undone = await type('kubectl webhook undo --yes');
    expect(undone.code, undone.output).to.equal(0);
    tell(`So that it does not happen again, leave the namespaces of the network, of DNS and of storage out:
\`kubectl webhook fix ${home} --remedy exclude-system-namespaces\`.`);
    const lasting = await type(`kubectl webhook fix ${home} --remedy exclude-system-namespaces --yes`);
    expect(lasting.code, lasting.output).to.equal(0);
  },

  async after(stage) {
    await tellNetwork(stage, true);
    await stage.scene.client.delete(agentOf);
  },
};
