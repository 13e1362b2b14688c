import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import {
  type Cluster,
  type ClusterOptions,
  createCluster,
  findCluster,
  listClusters,
  prepareParts,
  removeCluster,
  startCluster,
  sweep,
} from './clusters.ts';
import { backendArchive } from './image.ts';
import { defaultVersion } from './kubernetes.ts';
import { enterNetwork, isInside } from './network.ts';
import { prepareSuites } from './preparations.ts';

const usage = `A one-node Kubernetes for tests, in a network namespace of its own.

  npm run cluster -- up [NAME]     start one (NAME: dev unless given)
      --api-server-only            etcd and kube-apiserver alone, here on 127.0.0.1, no namespace
      --aggregator-routing         the API server calls Services through their EndpointSlices
      --kubernetes VERSION         ${defaultVersion} unless given
  npm run cluster -- down [NAME]   stop it (--all: every one)
  npm run cluster -- shell [NAME] [-- COMMAND...]
                                   a shell, or one command, inside it with KUBECONFIG set
  npm run cluster -- list          what runs
  npm run cluster -- build         builds all of it ahead, and what suites need (--api-server-only: that part)
  npm run cluster -- image         path of the webhook backend's image archive`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'api-server-only': { type: 'boolean', default: false },
    'aggregator-routing': { type: 'boolean', default: false },
    kubernetes: { type: 'string', default: defaultVersion },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [verb, name = 'dev', ...command] = positionals;
const kind = values['api-server-only'] ? 'api-server' : 'node';

try {
  if (values.help || verb === undefined) console.log(usage);
  else if (verb === 'up') await up();
  else if (verb === 'down') await down();
  else if (verb === 'shell') shell();
  else if (verb === 'list') list();
  else if (verb === 'build') await build();
  else if (verb === 'image') console.log(await backendArchive());
  else throw new Error(`${verb} is none of up, down, shell, list, build, image`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function build(): Promise<void> {
  await prepareParts(kind, values.kubernetes);
  if (kind === 'node') await prepareSuites();
}

async function up(): Promise<void> {
  const options: ClusterOptions = {
    name,
    kind,
    version: values.kubernetes,
    aggregatorRouting: values['aggregator-routing'],
    owned: false,
  };
  const parts = await prepareParts(options.kind, options.version);
  let cluster = findCluster(name);
  if (!cluster || !isInside(cluster.networkNamespace ?? '')) {
    cluster = await createCluster(options);
    // From here on this process runs inside the namespace.
    if (cluster.networkNamespace !== undefined) enterNetwork(cluster.networkNamespace);
  }
  describe(await startCluster(cluster, parts, options));
}

function describe(cluster: Cluster): void {
  console.log(`Cluster ${cluster.name}: Kubernetes ${cluster.version}, ${cluster.kind}`);
  console.log(`  kubeconfig  ${cluster.kubeconfig}`);
  console.log(`  logs        ${cluster.folder}/log`);
  if (cluster.networkNamespace !== undefined) {
    console.log(`  inside      nsenter --net=/run/netns/${cluster.networkNamespace}`);
    console.log(`  use it      npm run cluster -- shell ${cluster.name} [-- kubectl get nodes]`);
  } else {
    console.log(`  use it      kubectl --kubeconfig ${cluster.kubeconfig} version`);
  }
  console.log(`  stop it     npm run cluster -- down ${cluster.name}`);
}

async function down(): Promise<void> {
  await sweep();
  const wanted = listClusters().filter((cluster) => values.all || cluster.name === name);
  if (wanted.length === 0 && !values.all) throw new Error(`There is no cluster ${name}`);
  for (const cluster of wanted) {
    // A cluster of a running test is only stopped if it was named.
    if (values.all && cluster.owner) continue;
    await removeCluster(cluster);
    console.log(`Cluster ${cluster.name} no longer exists`);
  }
}

function shell(): void {
  const cluster = findCluster(name);
  if (!cluster) throw new Error(`There is no cluster ${name}`);
  const environment = { KUBECONFIG: cluster.kubeconfig, KUBECTL_WEBHOOK_TEST_CLUSTER: cluster.name };
  const program = command.length > 0 ? command : [process.env.SHELL ?? '/bin/sh'];
  if (cluster.networkNamespace !== undefined) enterNetwork(cluster.networkNamespace, program, environment);
  const [file = '/bin/sh', ...args] = program;
  const result = spawnSync(file, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  process.exitCode = result.status ?? 1;
}

function list(): void {
  for (const cluster of listClusters()) {
    const owner = cluster.owner ? `owned by process ${cluster.owner.pid}` : 'until taken down';
    console.log([cluster.name, cluster.kind, cluster.version, owner, cluster.kubeconfig].join('\t'));
  }
}
