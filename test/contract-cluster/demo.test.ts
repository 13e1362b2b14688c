import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { contractCluster } from './cluster.ts';
import { describeContract } from './contract.ts';
import { contractObjects, workloads } from './objects.ts';
import { ways, webhooks } from './pods.ts';
import { describePodContract } from './pods-contract.ts';

const reader = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'], namespaces: ['contract'] },
];

const forwarder = [{ apiGroups: [''], resources: ['pods/portforward'], verbs: ['get'] }];

describePodContract('Pods of the demo cluster are reached as those of a real one', async () => {
  const server = await startApiServer({
    ...clusterContent([...ways, webhooks], new Date()),
    users: { reader: forwarder },
  });
  const access = {
    server: server.url,
    trust: { ca: server.certificate },
    administrator: { token: server.token() },
  };
  return contractCluster(access, server.stop);
});

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
