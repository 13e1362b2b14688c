import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';
import { expectAlive, startComponent, stopComponent } from './component.ts';
import { network } from './network.ts';
import { type ClusterUser, kubeconfigPath } from './pki.ts';
import { attempt, run } from './run-command.ts';
import { waitFor } from './wait.ts';

export interface NodeOptions {
  readonly folder: string;
  /** Name of the network namespace, of the cgroup root and of the CNI network. */
  readonly name: string;
  readonly binaries: string;
  /** OCI archives to import. */
  readonly images: readonly string[];
  /** Reference of the image that holds a Pod's namespaces; one of `images`. */
  readonly pauseImage: string;
  readonly cgroupFiles: readonly string[];
}

const components = ['containerd', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'];
const kubernetesNamespace = 'k8s.io';

/**
 * Handler for a RuntimeClass, and folder, of a second network: it does not exist until its configuration is
 * written to the folder, as by the agent of a network plugin. Pods of other classes do not use it.
 */
export const agentNetwork = 'cni-agent';

/** Starts containerd and imports the images; needs no API server. Run inside the network namespace. */
export async function startContainerd(options: NodeOptions): Promise<void> {
  const { folder } = options;
  for (const name of ['cni', agentNetwork, 'manifests']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'cni/10-bridge.conflist'), JSON.stringify(cniNetwork(folder, options.name)));
  writeFileSync(join(folder, 'containerd.toml'), containerdConfig(folder, options.pauseImage));
  startComponent(
    folder,
    'containerd',
    ['containerd', '-c', `${folder}/containerd.toml`],
    options.cgroupFiles,
  );
  await waitFor('containerd', async () => {
    expectAlive(folder, 'containerd');
    return ctr(folder, 'version');
  });
  for (const image of options.images) await ctr(folder, 'images', 'import', image);
}

/** Imports another image on a running node. Run inside the network namespace. */
export const importImage = (folder: string, archive: string): Promise<string> =>
  ctr(folder, 'images', 'import', archive);

/** Starts controllers, scheduler, kubelet and kube-proxy, and waits until Pods can run and Services are reachable. */
export async function startNode(options: NodeOptions, client: Client): Promise<void> {
  const { folder, binaries } = options;
  const start = (name: ClusterUser, ...flags: string[]) =>
    startComponent(
      folder,
      name,
      [join(binaries, name), `--kubeconfig=${kubeconfigPath(folder, name)}`, ...flags],
      options.cgroupFiles,
    );
  writeFileSync(join(folder, 'kubelet.yaml'), JSON.stringify(kubeletConfig(folder, options.name)));
  start(
    'kube-controller-manager',
    `--service-account-private-key-file=${folder}/pki/service-account.key`,
    `--root-ca-file=${folder}/pki/ca.crt`,
    '--use-service-account-credentials',
    '--leader-elect=false',
    `--cluster-signing-cert-file=${folder}/pki/ca.crt`,
    `--cluster-signing-key-file=${folder}/pki/ca.key`,
  );
  start('kube-scheduler', '--leader-elect=false');
  start(
    'kubelet',
    `--config=${folder}/kubelet.yaml`,
    `--root-dir=${folder}/kubelet`,
    '--hostname-override=node1',
    `--node-ip=${network.node}`,
    `--cert-dir=${folder}/pki/kubelet`,
  );
  start(
    'kube-proxy',
    '--proxy-mode=iptables',
    `--cluster-cidr=${network.pods}`,
    '--hostname-override=node1',
    // These sysctls are read-only in a network namespace.
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0',
    '--conntrack-tcp-timeout-close-wait=0',
  );
  const until = (what: string, look: () => Promise<unknown>) =>
    waitFor(
      what,
      async () => {
        expectAlive(folder, ...components);
        return (await look()) ? true : undefined;
      },
      { timeout: 120_000 },
    );
  const object = (kind: string, name: string, namespace?: string) =>
    client.get({ apiVersion: 'v1', kind, metadata: { name, ...(namespace ? { namespace } : {}) } });
  await Promise.all([
    until('the node to be Ready', async () => {
      const conditions = ((await object('Node', 'node1'))?.status?.conditions ?? []) as NodeCondition[];
      return conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
    }),
    until('the default ServiceAccount', () => object('ServiceAccount', 'default', 'default')),
    until("the cluster's CA in namespace default", () => object('ConfigMap', 'kube-root-ca.crt', 'default')),
    until('kube-proxy to program the Service kubernetes', async () =>
      (await run('iptables', ['-t', 'nat', '-S', 'KUBE-SERVICES'])).includes(network.kubernetesService),
    ),
  ]);
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
}

/**
 * Stops everything that `startNode` and `startContainerd` started, including Pods; ignores what no longer
 * exists.
 */
export async function stopNode(folder: string): Promise<void> {
  // The kubelet first, since it restarts stopped containers.
  for (const name of components.filter((component) => component !== 'containerd').toReversed()) {
    await stopComponent(folder, name);
  }
  if (existsSync(join(folder, 'containerd.pid'))) {
    const lines = (output: string) => output.split('\n').filter(Boolean);
    const list = (kind: string) => ctr(folder, kind, 'ls', '-q').then(lines, () => []);
    await Promise.all(
      (await list('tasks')).map((task) => ctr(folder, 'tasks', 'delete', '--force', task).catch(() => '')),
    );
    await Promise.all(
      (await list('containers')).map((id) => ctr(folder, 'containers', 'delete', id).catch(() => '')),
    );
  }
  await stopComponent(folder, 'containerd');
}

/** Unmounts everything below the folder, deepest first. */
export async function unmountBelow(folder: string): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((path) => path.startsWith(`${folder}/`));
  for (const path of mounts.toReversed()) await attempt('umount', '-l', path);
}

function ctr(folder: string, ...args: string[]): Promise<string> {
  return run('ctr', [
    '-a',
    `${folder}/containerd.sock`,
    '-n',
    kubernetesNamespace,
    '--timeout',
    '60s',
    ...args,
  ]);
}

function cniNetwork(folder: string, name: string): object {
  return {
    cniVersion: '0.4.0',
    name,
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        hairpinMode: true,
        ipMasq: false,
        ipam: {
          type: 'host-local',
          dataDir: `${folder}/ipam`,
          ranges: [[{ subnet: network.pods }]],
          // Without it Pods cannot reach the API server.
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

function containerdConfig(folder: string, pauseImage: string): string {
  return `version = 2
root = "${folder}/containerd/root"
state = "${folder}/containerd/state"
disabled_plugins = [${['btrfs', 'aufs', 'zfs', 'devmapper'].map((name) => `"io.containerd.snapshotter.v1.${name}"`).join(', ')}]
[grpc]
  address = "${folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE runc dies with "can't get final child's PID from pipe: EOF".
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.${agentNetwork}]
    runtime_type = "io.containerd.runc.v2"
    cni_conf_dir = "${folder}/${agentNetwork}"
`;
}

function kubeletConfig(folder: string, name: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${name}`,
    failCgroupV1: false,
    failSwapOn: false,
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    staticPodPath: `${folder}/manifests`,
    // Two kubelets on one machine would delete each other's /var/log/pods.
    podLogsDir: `${folder}/pod-logs`,
    resolvConf: '/dev/null',
    enforceNodeAllocatable: [],
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
    },
    imageGCHighThresholdPercent: 100,
    nodeStatusUpdateFrequency: '4s',
    syncFrequency: '10s',
    registerWithTaints: [],
    serializeImagePulls: false,
  };
}
