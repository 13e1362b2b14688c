import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { ApiObject } from '../../src/demo/api-server/api-object.ts';
import type { KubeObject } from '../cluster/client.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { contractCluster } from '../contract-cluster/cluster.ts';
import { describeContract } from '../contract-cluster/contract.ts';
import { contractObjects, workloads } from '../contract-cluster/objects.ts';

const decoded = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString();

/** The reader's right, as the demo's rule says it. */
const mayRead: readonly KubeObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { namespace: 'contract', name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace: 'contract', name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'reader' }],
  },
];

/** Scenarios say what an object's status comes to; a real API server is told the rest only. */
const withoutStatus = ({ status: _status, ...object }: ApiObject): KubeObject =>
  object as unknown as KubeObject;

describe('the contract of the demo cluster', () => {
  needs('api-server');
  describeContract('kube-apiserver answers so', async () => {
    // Compacts soon, so that there is a revision that it has forgotten.
    const { client, kubeconfig } = await apiServer({ arguments: ['--etcd-compaction-interval=1s'] });
    for (const object of [...contractObjects, ...workloads.map(({ manifest }) => manifest)])
      await client.create(withoutStatus(object));
    for (const object of mayRead) await client.create(object);
    const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"a\\u0000"}').toString('base64url');
    const lookUp = (path: string) => client.request('GET', path);
    await waitFor('custom resources, discovery and compaction', async () => {
      const widgets = await lookUp('/apis/contract.example.com/v1/widgets');
      const metrics = await lookUp('/apis/metrics.contract.example.com/v1beta1');
      const forgotten = await lookUp(`/api/v1/events?limit=1&continue=${token}`);
      return widgets.status === 200 && metrics.status === 503 && forgotten.status === 410 ? true : undefined;
    });
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const user = config.getCurrentUser();
    return contractCluster(
      {
        server: client.server,
        trust: { ca: decoded(config.getCurrentCluster()?.caData) },
        administrator: { cert: decoded(user?.certData), key: decoded(user?.keyData) },
      },
      async () => undefined,
    );
  });
});
