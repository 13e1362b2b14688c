import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Client } from './client.ts';
import { expectAlive, startComponent } from './component.ts';
import { network } from './network.ts';
import { waitFor } from './wait.ts';

export interface ApiServerOptions {
  readonly folder: string;
  /** Absolute path. */
  readonly apiServer: string;
  /** Port of the API server on 127.0.0.1; etcd uses the two ports after it. */
  readonly port: number;
  /** Another port, for a second API server. */
  readonly securePort?: number;
  /** False: there is no kubelet and no controller. */
  readonly withNode: boolean;
  /** Calls to Services go to an address in an EndpointSlice instead of the ClusterIP. */
  readonly aggregatorRouting: boolean;
  readonly extraArguments: readonly string[];
  readonly cgroupFiles: readonly string[];
  /** A command that runs the API server: see resolver.ts. */
  readonly before?: readonly string[];
}

interface ControlPlaneOptions extends ApiServerOptions {
  /** Absolute path. */
  readonly etcd: string;
}

const etcdClient = ({ port }: ApiServerOptions): string => `http://127.0.0.1:${port + 1}`;

/** Starts etcd and kube-apiserver with the certificates in pki/; does not wait. */
export function startControlPlane(options: ControlPlaneOptions): void {
  const { folder, port } = options;
  const client = etcdClient(options);
  const peer = `http://127.0.0.1:${port + 2}`;
  const data = join(folder, 'etcd');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const etcd = [
    ...['--data-dir', data, '--unsafe-no-fsync', '--log-level', 'error', '--logger', 'zap'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `default=${peer}`],
  ];
  startComponent(folder, 'etcd', [options.etcd, ...etcd], options.cgroupFiles);

  startApiServer('kube-apiserver', options);
}

/** Starts a kube-apiserver on the etcd and the certificates of `folder`, as the component `name`; does not wait. */
export function startApiServer(name: string, options: ApiServerOptions): void {
  const { folder, withNode } = options;
  const pki = join(folder, 'pki');
  const apiServer = [
    `--etcd-servers=${etcdClient(options)}`,
    `--secure-port=${options.securePort ?? options.port}`,
    `--bind-address=${withNode ? '0.0.0.0' : '127.0.0.1'}`,
    `--advertise-address=${network.node}`,
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--cert-dir=${pki}/generated`,
    `--client-ca-file=${pki}/ca.crt`,
    '--authorization-mode=Node,RBAC',
    `--service-account-key-file=${pki}/service-account.pub`,
    `--service-account-signing-key-file=${pki}/service-account.key`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-cluster-ip-range=${network.services}`,
    '--allow-privileged',
    '--kubelet-preferred-address-types=InternalIP',
    `--requestheader-client-ca-file=${pki}/ca.crt`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki}/front-proxy.crt`,
    `--proxy-client-key-file=${pki}/front-proxy.key`,
    `--enable-aggregator-routing=${options.aggregatorRouting}`,
    // Serves the beta version of policies as well.
    '--runtime-config=admissionregistration.k8s.io/v1beta1=true',
    '--v=2',
    // Without controllers, no ServiceAccounts are created and no Endpoints are maintained.
    ...(withNode ? [] : ['--disable-admission-plugins=ServiceAccount', '--endpoint-reconciler-type=none']),
    ...options.extraArguments,
  ];
  // Released binaries are built without cgo and resolve names themselves: the error of a failed lookup
  // depends on it.
  const released = ['env', 'GODEBUG=netdns=go', options.apiServer];
  startComponent(folder, name, [...(options.before ?? []), ...released, ...apiServer], options.cgroupFiles);
}

/** Waits until every post-start hook of the API server has completed (/readyz). */
export async function waitForApiServer(
  folder: string,
  client: Client,
  name = 'kube-apiserver',
): Promise<void> {
  await waitFor(
    'the API server to be ready',
    async () => {
      expectAlive(folder, 'etcd', name);
      return (await client.text('/readyz')) === 'ok';
    },
    { timeout: 120_000, interval: 50 },
  );
}

/**
 * A port P on 127.0.0.1 with P+1 and P+2 also free, below the kernel's range for outgoing connections (32768
 * and up), so that no connection uses them before the start.
 */
export async function freePorts(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const port = 20_000 + 3 * Math.floor(Math.random() * 4000);
    const free = await Promise.all([isFree(port), isFree(port + 1), isFree(port + 2)]);
    if (free.every(Boolean)) return port;
  }
  throw new Error('No three free ports between 20000 and 32000 on 127.0.0.1');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
