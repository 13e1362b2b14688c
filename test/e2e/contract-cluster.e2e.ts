import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { ApiObject } from '../../src/demo/api-server/object-store.ts';
import type { KubeObject } from '../cluster/client.ts';
import { furnished } from '../cluster/scene.ts';
import { apiServer, needs, nodeCluster, type TestCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type ContractCluster, contractCluster } from '../contract-cluster/cluster.ts';
import { describeContract } from '../contract-cluster/contract.ts';
import { contractObjects, workloads } from '../contract-cluster/objects.ts';
import { contractPods, home, webhooks } from '../contract-cluster/pods.ts';
import { describePodContract } from '../contract-cluster/pods-contract.ts';
import { objectsOfWays } from './pods-of-contract.ts';

const decoded = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString();

/** The permission of `reader`, as in the demo. */
const may = (namespace: string, rule: object): readonly KubeObject[] => [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { namespace, name: 'reader' },
    rules: [rule],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace, name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
  },
];

const configMaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const forwarding = { apiGroups: [''], resources: ['pods/portforward'], verbs: ['get'] };

/** Scenarios contain status; a real API server gets the rest only. */
const withoutStatus = ({ status: _status, ...object }: ApiObject): KubeObject =>
  object as unknown as KubeObject;

interface PodStatus {
  readonly podIP?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

function asContract(
  { client, kubeconfig }: Pick<TestCluster, 'client' | 'kubeconfig'>,
  stop: () => Promise<void>,
): ContractCluster {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const user = config.getCurrentUser();
  return contractCluster(
    {
      server: client.server,
      trust: { ca: decoded(config.getCurrentCluster()?.caData) },
      administrator: { cert: decoded(user?.certData), key: decoded(user?.keyData) },
    },
    stop,
  );
}

describe('the contract of the demo cluster', () => {
  needs('api-server');
  describeContract('kube-apiserver answers so', async () => {
    // Compacts soon, so that an old revision is compacted.
    const { client, kubeconfig } = await apiServer({ arguments: ['--etcd-compaction-interval=1s'] });
    for (const object of [...contractObjects, ...workloads.map(({ manifest }) => manifest)])
      await client.create(withoutStatus(object));
    for (const object of may('contract', configMaps)) await client.create(object);
    const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"a\\u0000"}').toString('base64url');
    const lookUp = (path: string) => client.request('GET', path);
    await waitFor('custom resources, discovery and compaction', async () => {
      const widgets = await lookUp('/apis/contract.example.com/v1/widgets');
      const metrics = await lookUp('/apis/metrics.contract.example.com/v1beta1');
      const forgotten = await lookUp(`/api/v1/events?limit=1&continue=${token}`);
      return widgets.status === 200 && metrics.status === 503 && forgotten.status === 410 ? true : undefined;
    });
    return asContract({ client, kubeconfig }, async () => undefined);
  });
});

describe('the contract of the demo cluster about Pods', () => {
  needs('node');
  describePodContract('a real cluster answers so', async () => {
    const { client, kubeconfig } = await nodeCluster();
    const [first, ...rest] = objectsOfWays;
    if (first === undefined) throw new Error('there is nothing to make');
    await client.create(first);
    await furnished(client, home);
    for (const object of [...rest, ...may(home, forwarding)]) await client.create(object);
    const awaited = new Set([...Object.keys(contractPods), 'no-image']);
    await waitFor(
      'Pods and their endpoints',
      async () => {
        const pods = await client.list('v1', 'Pod', home);
        const placed = pods.filter(({ metadata, status }) => {
          const { podIP, conditions = [] } = status as PodStatus;
          const ready = conditions.some((one) => one.type === 'Ready' && one.status === 'True');
          return (
            awaited.has(metadata.name ?? '') && podIP !== undefined && (ready || metadata.name === 'no-image')
          );
        });
        const slices = await client.list('discovery.k8s.io/v1', 'EndpointSlice', home);
        const led = slices.filter(({ endpoints }) => ((endpoints ?? []) as readonly object[]).length > 0);
        // Each Service of a Pod, that of the image, and one more for the healthy one.
        return placed.length === awaited.size && led.length === awaited.size + 1 ? true : undefined;
      },
      { timeout: 120_000 },
    );
    const configuration = await client.create(webhooks as unknown as KubeObject);
    await waitFor('the webhooks', async () => {
      const attempt = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', labels: { ask: 'denies' } },
      };
      const path = `/api/v1/namespaces/${home}/configmaps?dryRun=All`;
      return (await client.request('POST', path, attempt)).status === 403 ? true : undefined;
    });
    return asContract({ client, kubeconfig }, async () => {
      await client.delete(configuration);
      await client.delete(first);
    });
  });
});
