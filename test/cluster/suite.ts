import { type Client, connect } from './client.ts';
import {
  type Cluster,
  createCluster,
  findCluster,
  prepareParts,
  removeCluster,
  startCluster,
} from './clusters.ts';
import { openScene, type Scene } from './scene.ts';
import { clusterVariable, type Need, wantedVersion, whyNot } from './ways-in.ts';

/** The cluster of a test. */
export interface TestCluster {
  readonly client: Client;
  /** cluster-admin. */
  readonly kubeconfig: string;
  /** Folder with log/, undefined for KUBECONFIG_E2E. */
  readonly folder?: string;
}

export interface ApiServerOptions {
  readonly aggregatorRouting?: boolean;
  /** More flags for kube-apiserver. */
  readonly arguments?: readonly string[];
  /** Version of Kubernetes; default: E2E_KUBERNETES; not used with KUBEBUILDER_ASSETS. */
  readonly version?: string;
}

/**
 * The maximum number of API servers at a time: each needs 250 MB of memory, and 6 of the 128 inotify instances that a user
 * has by default. Without a free one, programs that watch a file do not start in Pods.
 */
const mostApiServers = 8;

const connected = new Map<string, Promise<TestCluster>>();
/** The API servers by their options; the one that was used last is the last. */
const running = new Map<string, Cluster>();
let starts = 0;

/**
 * Declares what the suite needs; call it first in `describe`. If it is not available, the suite is skipped
 * and the reason printed; with CI=true that is a failure.
 */
export function needs(...wanted: readonly Need[]): void {
  before(function () {
    const reasons = wanted.flatMap((need) => whyNot(need) ?? []);
    if (reasons.length === 0) return;
    const sentence = `${this.test?.parent?.fullTitle() ?? 'a suite'}: ${reasons.join('; ')}`;
    if (process.env.CI === 'true') throw new Error(`Nothing may be skipped in CI. ${sentence}`);
    console.log(`  skipped: ${sentence}`);
    this.skip();
  });
}

/** The shared cluster with a node: KUBECONFIG_E2E, or the one that the runner started. */
export function nodeCluster(): Promise<TestCluster> {
  return once('node', async () => {
    const given = process.env.KUBECONFIG_E2E;
    if (given) return { client: await connect(given), kubeconfig: given };
    const cluster = findCluster(process.env[clusterVariable] ?? '');
    if (!cluster) throw new Error(whyNot('node') ?? 'The cluster no longer exists');
    return {
      client: await connect(cluster.kubeconfig),
      kubeconfig: cluster.kubeconfig,
      folder: cluster.folder,
    };
  });
}

/**
 * An API server without a node, on a port of 127.0.0.1. Started on first use (3 s), and shared by suites with
 * the same options; it ends with the test run, or when others were used since.
 */
export function apiServer(options: ApiServerOptions = {}): Promise<TestCluster> {
  const key = JSON.stringify(options);
  const known = running.get(key);
  if (known !== undefined) {
    running.delete(key);
    running.set(key, known);
  }
  return once(key, async () => {
    await stopLongestUnused();
    const version = options.version ?? wantedVersion();
    const parts = await prepareParts('api-server', version);
    const wanted = {
      name: `api-${process.pid}-${starts++}`,
      kind: 'api-server',
      aggregatorRouting: options.aggregatorRouting ?? false,
      apiServerArguments: options.arguments ?? [],
      owned: true,
      ...(version === undefined ? {} : { version }),
    } as const;
    const created = await createCluster(wanted);
    running.set(key, created);
    const { kubeconfig, folder } = await startCluster(created, parts, wanted);
    return { client: await connect(kubeconfig), kubeconfig, folder };
  });
}

/** Stops the API server that was not used for the longest time, if there are many. */
async function stopLongestUnused(): Promise<void> {
  const [oldest] = running;
  if (oldest === undefined || running.size < mostApiServers) return;
  const [key, cluster] = oldest;
  running.delete(key);
  const ended = connected.get(key);
  connected.delete(key);
  await ended?.then(
    ({ client }) => client.close(),
    () => undefined,
  );
  await removeCluster(cluster);
}

/**
 * A scene for each case of the suite: a new namespace; objects that the case leaves in the cluster are
 * deleted after it. Use it inside `it` only.
 */
export function useScene(cluster: () => Promise<TestCluster>): Scene & { readonly kubeconfig: string } {
  let scene: Scene | undefined;
  let kubeconfig = '';
  beforeEach(async () => {
    const used = await cluster();
    kubeconfig = used.kubeconfig;
    scene = await openScene(used.client);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.log(await scene?.report().catch((error: Error) => error.message));
    }
    await scene?.leave();
    scene = undefined;
  });
  const current = () => {
    if (!scene) throw new Error('A scene exists only while a case runs');
    return scene;
  };
  return {
    get client() {
      return current().client;
    },
    get namespace() {
      return current().namespace;
    },
    get kubeconfig() {
      return kubeconfig;
    },
    create: (object, options) => current().create(object, options),
    apply: (object, options) => current().apply(object, options),
    report: () => current().report(),
    leave: () => current().leave(),
  };
}

function once(key: string, make: () => Promise<TestCluster>): Promise<TestCluster> {
  const made = connected.get(key) ?? make();
  connected.set(key, made);
  return made;
}

after(async () => {
  for (const cluster of await Promise.allSettled(connected.values())) {
    if (cluster.status === 'fulfilled') cluster.value.client.close();
  }
  for (const cluster of running.values()) await removeCluster(cluster);
});
