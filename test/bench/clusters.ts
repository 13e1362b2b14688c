// Measures `doctor --contexts` for 40 clusters and for one, each with 14 webhooks behind two Pods each, one
// of them broken;
// the clusters in another process, on the same processors:
//   node test/bench/clusters.ts [CLUSTERS] [none|connect|review] [ROUND TRIP IN MILLISECONDS]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { running } from '../../src/demo/cluster/behaviour.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { namespace, service } from '../../src/demo/cluster/manifests.ts';
import { validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../src/demo/cluster/workload-manifests.ts';
import { fileWith } from '../support/plugin.ts';
import { median, processorTime, type Run, run } from './measure.ts';

const [clusters, level, rounds] = [
  Number(process.argv[2] ?? 40),
  process.argv[3] ?? 'none',
  Number(process.env.ROUNDS ?? 5),
];
const roundTrip = Number(process.argv[4] ?? 0);
const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** Adds the network delay of another region to a server. Returns its address. */
async function farAway(url: string): Promise<string> {
  const late = (from: Socket, to: Socket): void => {
    from.on('data', (data) => setTimeout(() => to.write(data), roundTrip / 2));
    from.on('close', () => setTimeout(() => to.destroy(), roundTrip / 2));
    from.on('error', () => undefined);
  };
  const proxy = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    late(near, far);
    late(far, near);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const parts = [
  namespace('bench'),
  ...Array.from({ length: 14 }, (_, index) => `policy-${index}`).flatMap((name, index) => [
    ...(index === 0 ? [] : [service(`bench/${name}`)]),
    deployment(`bench/${name}`, { replicas: 2, pods: [running({}), running({})] }),
    validating(name, [webhook(`${name}.example.com`, { service: `bench/${name}` })]),
  ]),
];

if (process.send === undefined) {
  const host = fork(import.meta.filename, process.argv.slice(2));
  const [kubeconfig] = (await once(host, 'message')) as [string];
  const ofServers = (): number => processorTime(host.pid ?? 0);
  const doctor = async (contexts: string): Promise<Run & { readonly servers: number }> => {
    const before = ofServers();
    const done = await run([
      program,
      'doctor',
      '--probe',
      level,
      '-o',
      'json',
      '--contexts',
      contexts,
      '--kubeconfig',
      kubeconfig,
    ]);
    return { ...done, servers: ofServers() - before };
  };
  type Measured = Awaited<ReturnType<typeof doctor>>;
  const [one, all]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    one.push(await doctor('cluster-0'));
    all.push(await doctor('*'));
  }
  for (const [name, runs] of [
    ['1 cluster', one],
    [`${clusters} clusters`, all],
  ] as const) {
    const of = (value: (run: Measured) => number): number => Math.round(median(runs.map(value)));
    const times = `${of((each) => each.milliseconds)} ms, processor ${of((each) => each.processorMilliseconds)} ms (API servers ${of((each) => each.servers)} ms)`;
    console.log(`${name}: ${times}, ${of((each) => each.mebibytes)} MiB, exit code ${runs[0]?.exitCode}`);
  }
  const times = (of: (run: Measured) => number): string =>
    (median(all.map(of)) / median(one.map(of))).toFixed(1);
  const ratios = `${times((each) => each.milliseconds)} times as long, ${times((each) => each.mebibytes)} times the memory`;
  console.log(`${ratios}; load ${loadavg()[0]?.toFixed(1)}`);
  host.kill();
} else {
  const now = new Date();
  const entries = await Promise.all(
    Array.from({ length: clusters }, async (_, index) => {
      const name = `cluster-${index}`;
      const config = JSON.parse((await startApiServer(clusterContent(parts, now))).kubeconfig());
      const { cluster } = config.clusters[0];
      if (roundTrip > 0) cluster.server = await farAway(cluster.server);
      return {
        cluster: { name, cluster },
        user: { ...config.users[0], name },
        context: { name, context: { cluster: name, user: name } },
      };
    }),
  );
  const file = fileWith(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: entries.map(({ cluster }) => cluster),
      users: entries.map(({ user }) => user),
      contexts: entries.map(({ context }) => context),
    }),
  );
  process.send(file);
}
