import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

/** The differences between well configured and other backends; whether they run does not matter here. */
interface Kept {
  /** Name of the Deployment, the Service and of the label `app`. */
  readonly name: string;
  readonly container: object;
  readonly podSpec: object;
  readonly strategy: object;
  readonly minAvailable: number;
  readonly nodes: readonly [string, string];
  /** Merged over the webhook. */
  readonly webhook: (namespace: string) => object;
}

const badly: Kept = {
  name: 'badly',
  container: {},
  podSpec: {},
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%' } },
  minAvailable: 2,
  nodes: ['one', 'one'],
  webhook: (namespace) => ({
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] }],
    },
    objectSelector: { matchLabels: { 'example.com/asked': 'never' } },
  }),
};

const well: Kept = {
  name: 'well',
  container: {
    resources: { requests: { cpu: '10m', memory: '10Mi' } },
    readinessProbe: { httpGet: { scheme: 'HTTPS', port: 8443, path: '/readyz' } },
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
  },
  podSpec: { priorityClassName: 'system-cluster-critical' },
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
  minAvailable: 1,
  nodes: ['one', 'two'],
  // It matches everything without exclusion, so that checks of policies and of shared namespaces report
  // nothing.
  webhook: () => ({
    namespaceSelector: {},
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps/*'] }],
  }),
};

/**
 * A Deployment with its Service, its budget, its two Pods and a webhook; as controllers and a kubelet would
 * leave them.
 */
async function furnish(scene: Scene, kept: Kept, caBundle: string): Promise<void> {
  const { name, container, podSpec, strategy, minAvailable, nodes, webhook } = kept;
  const { namespace } = scene;
  const labels = { app: name };
  const spec = {
    ...podSpec,
    containers: [{ name: 'webhook', image: 'none', ports: [{ containerPort: 8443 }], ...container }],
  };
  await Promise.all([
    scene.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
    }),
    scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas: 2,
        strategy,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
    }),
    scene.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { minAvailable, selector: { matchLabels: labels } },
    }),
    ...nodes.map(async (nodeName, at) => {
      const pod: KubeObject = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${name}-${at}`, namespace, labels },
        spec: { ...spec, nodeName },
      };
      await scene.create(pod);
      await scene.client.patch(pod, { status: { phase: 'Running' } }, 'status');
    }),
  ]);
  await scene.create(validatingWebhook(namespace, { service: name, caBundle, webhook: webhook(namespace) }));
}

/** Not part of either backend. */
const neighbour: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'neighbour' },
  spec: {
    selector: { matchLabels: { app: 'neighbour' } },
    template: {
      metadata: { labels: { app: 'neighbour' } },
      spec: { containers: [{ name: 'main', image: 'other' }] },
    },
  },
};

describe('recommendations for a backend, by its real objects', () => {
  needs('api-server');
  const scene = useScene(apiServer);

  it('reports all of them for one backend, and nothing for the other', async () => {
    const { namespace, kubeconfig } = scene;
    const { cert } = await authority({ cn: 'kept' });
    await furnish(scene, badly, cert);
    await furnish(scene, well, cert);
    await scene.create(neighbour);
    const practice = async ({ name }: Kept): Promise<readonly string[]> => {
      const args = ['doctor', `${name}-${namespace}`, '--probe', 'none', '-o', 'json'];
      const { stdout, stderr } = await plugin([...args, '--kubeconfig', kubeconfig]);
      if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
      return (JSON.parse(stdout) as DoctorReport).findings
        .filter(({ link }) => link === 'practice')
        .map(({ check, message }) => `${check}: ${message.replaceAll(namespace, 'NS')}`)
        .toSorted();
    };
    expect(await practice(badly)).to.deep.equal([
      'blocking-disruption-budget: PodDisruptionBudget badly allows no eviction of a Pod of Deployment badly (replicas 2)',
      'could-be-admission-policy: If the decision of badly.example.com depends on the request alone, a ValidatingAdmissionPolicy can replace it inside the API server',
      'no-drain-before-stop: Container webhook of Deployment badly has no preStop hook: it may receive SIGTERM while it still receives requests',
      'no-priority-class: Pods of Deployment badly have no priorityClassName',
      'no-resource-requests: Container webhook of Deployment badly requests no cpu and no memory',
      'readiness-does-not-cover-webhook: Container webhook of Deployment badly has no readinessProbe: it receives requests before it listens on port 8443',
      'replicas-on-one-node: The 2 Pods of Deployment badly are all on node one',
      'rollout-takes-all: Deployment badly may have no available Pod during a rollout (replicas 2, maxUnavailable 100%)',
      'shared-namespace: Namespace NS is excluded for Deployment badly, and with it Deployment neighbour',
    ]);
    expect(await practice(well)).to.deep.equal([]);
  }).timeout(120_000);
});
