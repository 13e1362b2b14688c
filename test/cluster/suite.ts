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

const connected = new Map<string, Promise<TestCluster>>();
const started: Cluster[] = [];

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
 * the same options; it ends with the test run.
 */
export function apiServer(options: ApiServerOptions = {}): Promise<TestCluster> {
  return once(JSON.stringify(options), async () => {
    const version = options.version ?? wantedVersion();
    const parts = await prepareParts('api-server', version);
    const wanted = {
      name: `api-${process.pid}-${started.length}`,
      kind: 'api-server',
      aggregatorRouting: options.aggregatorRouting ?? false,
      apiServerArguments: options.arguments ?? [],
      owned: true,
      ...(version === undefined ? {} : { version }),
    } as const;
    const created = await createCluster(wanted);
    started.push(created);
    const { kubeconfig, folder } = await startCluster(created, parts, wanted);
    return { client: await connect(kubeconfig), kubeconfig, folder };
  });
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
  for (const cluster of started) await removeCluster(cluster);
});
