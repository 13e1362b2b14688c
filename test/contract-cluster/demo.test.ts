import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { contractCluster } from './cluster.ts';
import { describeContract } from './contract.ts';
import { contractObjects, workloads } from './objects.ts';

const reader = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'], namespaces: ['contract'] },
];

describeContract('the demo cluster answers as kube-apiserver does', async () => {
  const content = clusterContent([...contractObjects, ...workloads], new Date());
  const server = await startApiServer({ ...content, users: { reader } });
  const access = {
    server: server.url,
    trust: { ca: server.certificate },
    administrator: { token: server.token() },
  };
  return contractCluster(access, server.stop);
});
