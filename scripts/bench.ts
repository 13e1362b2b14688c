import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { countingProxy } from '../test/bench/counting-proxy.ts';
import { brokenBackends, loadCluster, loadOtherPods, placeWebhooks } from '../test/bench/load.ts';
import { interleaved, type Run, run } from '../test/bench/measure.ts';
import { startUp } from '../test/bench/start-up.ts';
import { watchCost } from '../test/bench/watch-cost.ts';
import { connect } from '../test/cluster/client.ts';
import { createCluster, prepareParts, removeCluster, startCluster } from '../test/cluster/clusters.ts';
import { kubectlBinary } from '../test/cluster/kubectl.ts';
import { run as runCommand } from '../test/cluster/run-command.ts';

const rounds = 9;
const plugin = new URL('../bin/kubectl-webhook', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-bench-'));

/** Prints a measured value, its limit, and whether the value is within the limit. */
function line(what: string, value: number, unit: string, limit: number): boolean {
  const kept = value <= limit;
  console.log(`${kept ? 'kept  ' : 'MISSED'}  ${what}: ${value.toFixed(2)} ${unit} (limit ${limit})`);
  return kept;
}

/** Start-up of the single executable, compared with kubectl. */
async function start(kubeconfig: string): Promise<boolean> {
  const target = `linux_${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const release = new URL('release/release.ts', import.meta.url).pathname;
  await runCommand(process.execPath, [release, target]);
  const archive = new URL(`../dist/kubectl-webhook_${target}.tar.gz`, import.meta.url).pathname;
  await runCommand('tar', ['-xzf', archive, '-C', folder]);
  const ratios = await startUp(join(folder, 'kubectl-webhook'), await kubectlBinary(), kubeconfig, rounds);
  console.log('start-up of the released executable');
  return [
    line('--help', ratios.help, '× kubectl version --client', 1.3),
    line("doctor's first byte on a terminal", ratios.doctor, '× that of kubectl version --client', 2),
  ].every(Boolean);
}

/** doctor on the loaded cluster: time over `node -e 0` (`seconds` at most), memory, requests, bytes. */
async function doctor(
  kubeconfig: string,
  proxied: string,
  taken: () => number,
  content: string,
  seconds: number,
): Promise<boolean> {
  const command = [plugin, 'doctor', '--probe', 'none', '-o', 'json'];
  const ask = (file: string, ...flags: readonly string[]): Promise<Run> =>
    run([...command, ...flags, '--kubeconfig', file]);
  taken();
  const counted = await ask(proxied, '-v', '6');
  const bytes = taken();
  if (counted.exitCode !== 1) throw new Error(`doctor ended with ${counted.exitCode}: ${counted.stderr}`);
  const requests = counted.stderr.split('\n').filter((text) => text.startsWith('GET ')).length;
  const measured = await interleaved(
    { node: () => run([process.execPath, '-e', '0']), doctor: () => ask(kubeconfig) },
    rounds,
  );
  const over = (measured.doctor.milliseconds - measured.node.milliseconds) / 1000;
  console.log(`\ndoctor --probe none -o json, ${content}`);
  return [
    line('requests', requests, '', 30 + brokenBackends),
    line('from the server', bytes / 1e6, 'MB', 1.6),
    line('over node -e 0', over, 's', seconds),
    line('memory', measured.doctor.mebibytes, 'MiB', 150),
  ].every(Boolean);
}

/** Time of a snapshot, and of what-if with it, over a doctor run of the same file. */
async function ask(kubeconfig: string): Promise<boolean> {
  const file = join(folder, 'snapshot.json.gz');
  const saved = await run([
    plugin,
    'snapshot',
    file,
    '--deep',
    '--probe',
    'none',
    '--kubeconfig',
    kubeconfig,
  ]);
  // Exit code 3: some APIs are not served in the test cluster.
  if (saved.exitCode !== 0 && saved.exitCode !== 3)
    throw new Error(`snapshot ended with ${saved.exitCode}: ${saved.stderr}`);
  const of = (...args: readonly string[]) => run([plugin, ...args, '--from-snapshot', file, '-o', 'json']);
  const measured = await interleaved(
    { doctor: () => of('doctor'), whatIf: () => of('what-if', '--cold-start') },
    rounds,
  );
  console.log('\nsnapshot --deep, and what-if --cold-start of it');
  return [
    line('file', statSync(file).size / 1e6, 'MB', 2),
    line('over doctor', (measured.whatIf.milliseconds - measured.doctor.milliseconds) / 1000, 's', 0.3),
  ].every(Boolean);
}

/** list with the same cluster: time over `node -e 0`. */
async function list(kubeconfig: string): Promise<boolean> {
  const measured = await interleaved(
    {
      node: () => run([process.execPath, '-e', '0']),
      list: () => run([plugin, 'list', '--kubeconfig', kubeconfig]),
    },
    rounds,
  );
  const over = (measured.list.milliseconds - measured.node.milliseconds) / 1000;
  console.log('\nlist');
  return line('over node -e 0', over, 's', 0.3);
}

/** doctor --watch in an idle cluster: processor time of five seconds, as a share of the first run. */
async function watch(kubeconfig: string): Promise<boolean> {
  const command = [plugin, 'doctor', '-w', '-v', '6', '--probe', 'none', '--kubeconfig', kubeconfig];
  const { full, each } = await watchCost(command, process.env);
  console.log('\ndoctor --watch, idle, in five seconds');
  return [
    line('requests', each.requests, '', full.requests / 10),
    line('from the server', each.bytes, 'B', full.bytes / 10),
    line('processor', each.processor, 'ms', full.processor / 10),
  ].every(Boolean);
}

/** The same kubeconfig with another address of the server; the certificate is also valid for 127.0.0.1. */
function through(kubeconfig: string, port: number): string {
  const file = join(folder, 'proxied.kubeconfig');
  writeFileSync(
    file,
    readFileSync(kubeconfig, 'utf8').replace(/https:\/\/[^\s"]+/, `https://127.0.0.1:${port}`),
    { mode: 0o600 },
  );
  return file;
}

/** Waits until the API server and etcd have processed the created objects. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20_000));

const options = {
  name: 'bench',
  kind: 'api-server',
  owned: true,
  apiServerArguments: ['--service-cluster-ip-range=198.18.0.0/16'],
} as const;
const cluster = await createCluster(options);
try {
  await startCluster(cluster, await prepareParts('api-server'), options);
  const client = await connect(cluster.kubeconfig);
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const { hostname, port } = new URL(config.getCurrentCluster()?.server ?? '');
  const proxy = await countingProxy(hostname, Number(port));
  const proxied = through(cluster.kubeconfig, proxy.port);
  const started = await start(cluster.kubeconfig);
  console.log('loading the cluster …');
  await loadCluster(client);
  await settle();
  const small = await doctor(cluster.kubeconfig, proxied, proxy.take, '1 000 Pods', 0.48);
  const listed = await list(cluster.kubeconfig);
  const watched = await watch(cluster.kubeconfig);
  console.log('putting webhooks in their place about which much is wrong …');
  await placeWebhooks(client, { troubled: true });
  await settle();
  const troubled = await doctor(cluster.kubeconfig, proxied, proxy.take, 'much is wrong', 0.55);
  const asked = await ask(cluster.kubeconfig);
  console.log('loading 9 000 Pods more …');
  await placeWebhooks(client, { troubled: false });
  await loadOtherPods(client);
  await settle();
  const large = await doctor(cluster.kubeconfig, proxied, proxy.take, '10 000 Pods', 0.6);
  proxy.close();
  const kept = [started, small, listed, watched, troubled, asked, large];
  process.exitCode = kept.every(Boolean) ? 0 : 1;
} finally {
  await removeCluster(cluster);
  rmSync(folder, { recursive: true, force: true });
}
