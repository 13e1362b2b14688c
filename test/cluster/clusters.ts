import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { withLock } from './cache.ts';
import { createCgroups, removeCgroups } from './cgroups.ts';
import { connect } from './client.ts';
import { findProgram, identify, isAlive, logTail, type ProcessIdentity, stopComponent } from './component.ts';
import { freePorts, startControlPlane, waitForApiServer } from './control-plane.ts';
import { backendArchive, kubectlArchive, pauseArchive, pauseImage } from './image.ts';
import { defaultVersion, kubernetesBinaries, nodeCommands } from './kubernetes.ts';
import { createNetwork, forwardPackets, removeNetwork } from './network.ts';
import { startContainerd, startNode, stopNode, unmountBelow } from './node.ts';
import { kubeconfigPath, writePki } from './pki.ts';

/** A cluster on this machine, as its folder describes it (cluster.json). */
export interface Cluster {
  readonly name: string;
  readonly folder: string;
  readonly kind: 'node' | 'api-server';
  readonly version: string;
  readonly aggregatorRouting: boolean;
  /**
   * Port of the API server on 127.0.0.1 of `networkNamespace`; undefined: of the network of the starting
   * process.
   */
  readonly port: number;
  /** Also the name of the cgroup root; clusters of kind `node` have one. */
  readonly networkNamespace?: string;
  /** cluster-admin. */
  readonly kubeconfig: string;
  /** The cluster ends with this process; undefined: it runs until it is taken down. */
  readonly owner?: ProcessIdentity;
}

export interface ClusterOptions {
  /** Lower-case letters, digits and dashes, 20 at most. */
  readonly name: string;
  readonly kind: Cluster['kind'];
  readonly version?: string;
  readonly aggregatorRouting?: boolean;
  /** More flags for kube-apiserver. */
  readonly apiServerArguments?: readonly string[];
  /** Whether it ends with this process. */
  readonly owned: boolean;
}

/** The binaries and images that a start needs. Built while there is a network. */
export interface Parts {
  readonly etcd: string;
  readonly apiServer: string;
  /** Folder of the commands, archives to import; for clusters with a node. */
  readonly node?: { readonly binaries: string; readonly images: readonly string[] };
}

/** Builds the parts of a cluster of that kind, or finds them in the cache or in KUBEBUILDER_ASSETS. */
export async function prepareParts(kind: Cluster['kind'], version = defaultVersion): Promise<Parts> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (kind === 'api-server' && assets) {
    return { etcd: join(assets, 'etcd'), apiServer: join(assets, 'kube-apiserver') };
  }
  const etcd = findProgram('etcd');
  if (etcd === undefined) throw new Error('etcd is not on PATH (Debian: etcd-server)');
  if (kind === 'api-server') {
    const binaries = await kubernetesBinaries(version, ['kube-apiserver']);
    return { etcd, apiServer: join(binaries, 'kube-apiserver') };
  }
  const binaries = await kubernetesBinaries(version, nodeCommands);
  const images = [await pauseArchive(), await backendArchive(), await kubectlArchive()];
  return { etcd, apiServer: join(binaries, 'kube-apiserver'), node: { binaries, images } };
}

/**
 * First part of a start, outside the cluster's network namespace: its folder and, for a node, the namespace.
 */
export async function createCluster(options: ClusterOptions): Promise<Cluster> {
  if (!/^[a-z0-9-]{1,20}$/.test(options.name))
    throw new Error(`${options.name}: at most 20 of a-z, 0-9 and -`);
  await sweep();
  const folder = join(clustersRoot(), options.name);
  const networkNamespace = options.kind === 'node' ? `kw-${options.name}` : undefined;
  const cluster: Cluster = {
    name: options.name,
    folder,
    kind: options.kind,
    version: options.version ?? defaultVersion,
    aggregatorRouting: options.aggregatorRouting ?? false,
    port: options.kind === 'node' ? 6443 : await freePorts(),
    ...(networkNamespace === undefined ? {} : { networkNamespace }),
    kubeconfig: kubeconfigPath(folder, 'admin'),
    // During the start, a cluster belongs to the starting process, so that an incomplete one is removed.
    ...ownedByUs(),
  };
  await withLock(lockFile(), async () => {
    if (existsSync(folder)) throw new Error(`There is a cluster ${options.name} already`);
    mkdirSync(folder, { mode: 0o700 });
    writeRecord(cluster);
  });
  if (networkNamespace !== undefined) await createNetwork(networkNamespace);
  return cluster;
}

/**
 * Second part, inside the network namespace: starts the components and waits until all of them serve. If the
 * start fails, the cluster is removed; the error includes the logs of its components.
 */
export async function startCluster(
  cluster: Cluster,
  parts: Parts,
  options: ClusterOptions,
): Promise<Cluster> {
  const { folder } = cluster;
  try {
    const cgroupFiles = cluster.networkNamespace === undefined ? [] : createCgroups(cluster.networkNamespace);
    await writePki(folder, cluster.port);
    startControlPlane({
      folder,
      etcd: parts.etcd,
      apiServer: parts.apiServer,
      port: cluster.port,
      withNode: cluster.kind === 'node',
      aggregatorRouting: cluster.aggregatorRouting,
      extraArguments: options.apiServerArguments ?? [],
      cgroupFiles,
    });
    const client = await connect(cluster.kubeconfig);
    try {
      if (parts.node && cluster.networkNamespace !== undefined) {
        forwardPackets();
        const node = { folder, name: cluster.networkNamespace, ...parts.node, pauseImage, cgroupFiles };
        await Promise.all([waitForApiServer(folder, client), startContainerd(node)]);
        await startNode(node, client);
      } else {
        await waitForApiServer(folder, client);
      }
    } finally {
      client.close();
    }
  } catch (error) {
    const logs = componentLogs(folder);
    await removeCluster(cluster);
    throw new Error(`Cluster ${cluster.name} did not start: ${(error as Error).message}\n${logs}`, {
      cause: error,
    });
  }
  if (options.owned) return cluster;
  const { owner: _, ...permanent } = cluster;
  writeRecord(permanent);
  return permanent;
}

/** Stops a cluster and removes all of its resources, also if it is incomplete or already removed. */
export async function removeCluster(cluster: Cluster): Promise<void> {
  const { folder } = cluster;
  if (cluster.networkNamespace !== undefined) await stopNode(folder);
  await stopComponent(folder, 'kube-apiserver', 'SIGKILL');
  await stopComponent(folder, 'etcd', 'SIGKILL');
  if (cluster.networkNamespace !== undefined) {
    await removeCgroups(cluster.networkNamespace);
    await unmountBelow(folder);
    await removeNetwork(cluster.networkNamespace);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** The clusters on this machine, including those that are starting. */
export function listClusters(): Cluster[] {
  const root = clustersRoot();
  return readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const record = join(root, entry.name, 'cluster.json');
    return existsSync(record) ? [JSON.parse(readFileSync(record, 'utf8')) as Cluster] : [];
  });
}

export function findCluster(name: string): Cluster | undefined {
  return listClusters().find((cluster) => cluster.name === name);
}

/** Removes clusters whose owner has ended. */
export async function sweep(): Promise<void> {
  await withLock(lockFile(), async () => {
    for (const cluster of listClusters()) {
      if (cluster.owner && !isAlive(cluster.owner)) await removeCluster(cluster);
    }
  });
}

/** The end of every component's log, for a failure report. */
export function componentLogs(folder: string): string {
  const logs = join(folder, 'log');
  if (!existsSync(logs)) return '';
  const names = readdirSync(logs).map((file) => file.replace(/\.log$/, ''));
  return names.map((name) => `--- ${name}\n${logTail(folder, name)}`).join('\n');
}

/**
 * Parent folder of the clusters. Not in the cache: socket paths have at most 107 bytes, and a file system in
 * memory would have to hold the images.
 */
function clustersRoot(): string {
  const user = process.getuid?.() ?? 0;
  const root = `/var/tmp/kubectl-webhook-test-${user}`;
  mkdirSync(root, { recursive: true, mode: 0o700 });
  if (statSync(root).uid !== user) throw new Error(`${root} belongs to somebody else`);
  return root;
}

function lockFile(): string {
  return join(clustersRoot(), 'lock');
}

function ownedByUs(): { owner?: ProcessIdentity } {
  const owner = identify(process.pid);
  return owner ? { owner } : {};
}

function writeRecord(cluster: Cluster): void {
  const file = join(cluster.folder, 'cluster.json');
  writeFileSync(`${file}.partial`, JSON.stringify(cluster, null, 1));
  renameSync(`${file}.partial`, file);
}
