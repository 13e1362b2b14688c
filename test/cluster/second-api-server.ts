import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCgroups } from './cgroups.ts';
import { connect } from './client.ts';
import { findCluster, prepareParts } from './clusters.ts';
import { stopComponent } from './component.ts';
import { startApiServer, waitForApiServer } from './control-plane.ts';
import type { TestCluster } from './suite.ts';
import { clusterVariable } from './ways-in.ts';

const name = 'kube-apiserver-2';

/**
 * One more API server for the cluster with a node, over the same etcd, that routes calls to Services to their endpoints
 * (`--enable-aggregator-routing`). Needs `own-node`. The caller stops it.
 */
export async function endpointRoutingApiServer(): Promise<TestCluster & { stop(): Promise<void> }> {
  const cluster = findCluster(process.env[clusterVariable] ?? '');
  if (cluster?.networkNamespace === undefined) throw new Error('there is no cluster with a node of our own');
  const { folder, port, networkNamespace } = cluster;
  const securePort = port + 3;
  const { apiServer } = await prepareParts('node');
  await stopComponent(folder, name, 'SIGKILL');
  startApiServer(name, {
    folder,
    apiServer,
    port,
    securePort,
    withNode: true,
    aggregatorRouting: true,
    // The Service `kubernetes` goes on leading to the first one alone.
    extraArguments: ['--endpoint-reconciler-type=none'],
    cgroupFiles: createCgroups(networkNamespace),
  });
  const kubeconfig = join(folder, 'second.kubeconfig');
  const text = readFileSync(cluster.kubeconfig, 'utf8').replaceAll(`:${port}`, `:${securePort}`);
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const client = await connect(kubeconfig);
  const stop = async (): Promise<void> => {
    client.close();
    await stopComponent(folder, name, 'SIGKILL');
  };
  try {
    await waitForApiServer(folder, client, name);
  } catch (error) {
    await stop();
    throw error;
  }
  return { client, kubeconfig, folder, stop };
}
