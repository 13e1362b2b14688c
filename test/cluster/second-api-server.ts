import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCgroups } from './cgroups.ts';
import { connect } from './client.ts';
import { findCluster, prepareParts } from './clusters.ts';
import { stopComponent } from './component.ts';
import { type ApiServerOptions, freePorts, startApiServer, waitForApiServer } from './control-plane.ts';
import type { TestCluster } from './suite.ts';
import { clusterVariable } from './ways-in.ts';

const name = 'kube-apiserver-2';

/** One more API server of a cluster, and how to end it: the caller's duty. */
export interface SecondApiServer extends TestCluster {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts it over the etcd and the certificates of a cluster with that kubeconfig, and waits. */
async function start(
  options: ApiServerOptions & { readonly securePort: number },
  first: string,
): Promise<SecondApiServer> {
  const { folder, port, securePort } = options;
  await stopComponent(folder, name, 'SIGKILL');
  startApiServer(name, options);
  const kubeconfig = join(folder, 'second.kubeconfig');
  const text = readFileSync(first, 'utf8').replaceAll(`:${port}`, `:${securePort}`);
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
  return { client, kubeconfig, folder, port: securePort, stop };
}

/**
 * One more API server for the cluster with a node, over the same etcd, that routes calls to Services to their endpoints
 * (`--enable-aggregator-routing`). Needs `own-node`.
 */
export async function endpointRoutingApiServer(): Promise<SecondApiServer> {
  const cluster = findCluster(process.env[clusterVariable] ?? '');
  if (cluster?.networkNamespace === undefined) throw new Error('there is no cluster with a node of our own');
  const { folder, port, networkNamespace } = cluster;
  const { apiServer } = await prepareParts('node');
  const options = {
    folder,
    apiServer,
    port,
    securePort: port + 3,
    withNode: true,
    aggregatorRouting: true,
    // The Service `kubernetes` goes on leading to the first one alone.
    extraArguments: ['--endpoint-reconciler-type=none'],
    cgroupFiles: createCgroups(networkNamespace),
  };
  return start(options, cluster.kubeconfig);
}

/** One more API server beside one without a node, over the same etcd, on all addresses of this machine. */
export async function anotherApiServer({
  folder,
  client,
  kubeconfig,
}: TestCluster): Promise<SecondApiServer> {
  if (folder === undefined) throw new Error('that API server is not ours');
  const { apiServer } = await prepareParts('api-server');
  const options = {
    folder,
    apiServer,
    port: Number(new URL(client.server).port),
    securePort: await freePorts(),
    withNode: false,
    aggregatorRouting: false,
    extraArguments: ['--bind-address=0.0.0.0'],
    cgroupFiles: [],
  };
  return start(options, kubeconfig);
}
