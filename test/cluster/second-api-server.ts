import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCgroups } from './cgroups.ts';
import { connect } from './client.ts';
import { findCluster, prepareParts } from './clusters.ts';
import { stopComponent } from './component.ts';
import { type ApiServerOptions, freePorts, startApiServer, waitForApiServer } from './control-plane.ts';
import { startTunnel, type Tunnel } from './konnectivity.ts';
import { knowing } from './resolver.ts';
import type { TestCluster } from './suite.ts';
import { clusterVariable } from './ways-in.ts';

/** A second API server of a cluster, and how to stop it, which is the caller's duty. */
export interface SecondApiServer extends TestCluster {
  readonly port: number;
  stop(): Promise<void>;
}

type StartOptions = ApiServerOptions & { readonly securePort: number };

/** Starts it over the etcd and the certificates of a cluster with that kubeconfig, and waits. */
async function start(
  options: StartOptions,
  first: string,
  name = 'kube-apiserver-2',
): Promise<SecondApiServer> {
  const { folder, port, securePort } = options;
  await stopComponent(folder, name, 'SIGKILL');
  startApiServer(name, options);
  const kubeconfig = join(folder, `${name}.kubeconfig`);
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

/** The options of a second API server of the cluster with a node; needs `own-node`. */
async function besideTheFirst(offset: number): Promise<{ options: StartOptions; kubeconfig: string }> {
  const cluster = findCluster(process.env[clusterVariable] ?? '');
  if (cluster?.networkNamespace === undefined) throw new Error('there is no cluster with a node of our own');
  const { folder, port, networkNamespace, kubeconfig } = cluster;
  const { apiServer } = await prepareParts('node');
  const options = {
    folder,
    apiServer,
    port,
    securePort: port + offset,
    withNode: true,
    aggregatorRouting: false,
    // The endpoint of the Service `kubernetes` remains the first API server.
    extraArguments: ['--endpoint-reconciler-type=none'],
    cgroupFiles: createCgroups(networkNamespace),
  };
  return { options, kubeconfig };
}

/**
 * A second API server for the cluster with a node, with the same etcd, that routes calls to the endpoints of
 * Services (`--enable-aggregator-routing`).
 */
export async function endpointRoutingApiServer(): Promise<SecondApiServer> {
  const { options, kubeconfig } = await besideTheFirst(3);
  return start({ ...options, aggregatorRouting: true }, kubeconfig);
}

/** An API server that reaches the cluster through a tunnel, and resolves other names than this machine. */
export interface RemoteApiServer extends SecondApiServer {
  readonly tunnel: Tunnel;
}

/**
 * A second API server for the cluster with a node that runs elsewhere, like a managed one; no agent is
 * connected.
 */
export async function remoteApiServer(hosts: Readonly<Record<string, string>>): Promise<RemoteApiServer> {
  const { options, kubeconfig } = await besideTheFirst(4);
  const { folder, port, cgroupFiles, extraArguments } = options;
  const tunnel = await startTunnel(folder, port + 5, cgroupFiles);
  const remote = {
    ...options,
    extraArguments: [...extraArguments, `--egress-selector-config-file=${tunnel.configuration}`],
    before: knowing(hosts, join(folder, 'remote-names')),
  };
  const server = await start(remote, kubeconfig, 'kube-apiserver-remote');
  const stop = async (): Promise<void> => {
    await server.stop();
    await tunnel.stop();
  };
  return { ...server, tunnel, stop };
}

/**
 * A second API server for a cluster without a node, with the same etcd, on all addresses of this machine; at
 * `port` if a stopped one is restarted.
 */
export async function anotherApiServer(
  { folder, client, kubeconfig }: TestCluster,
  port?: number,
): Promise<SecondApiServer> {
  if (folder === undefined) throw new Error('that API server is not ours');
  const { apiServer } = await prepareParts('api-server');
  const options = {
    folder,
    apiServer,
    port: Number(new URL(client.server).port),
    securePort: port ?? (await freePorts()),
    withNode: false,
    aggregatorRouting: false,
    extraArguments: ['--bind-address=0.0.0.0'],
    cgroupFiles: [],
  };
  return start(options, kubeconfig);
}
