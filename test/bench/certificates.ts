// Measures cert-check: backends with a Secret and two Pods each, on a real API server. One process is the
// kubelet of all
// Pods, and their webhook server.
// node test/bench/certificates.ts [--webhooks N] [BACKENDS…]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { CertificateReport } from '../../src/diagnose/certificates/certificate-report.ts';
import { connect } from '../cluster/client.ts';
import { createCluster, prepareParts, removeCluster, startCluster } from '../cluster/clusters.ts';
import { plugin as plugged } from '../support/plugin.ts';
import { addNode, loadCertificates, prepareNamespaces } from './certificate-load.ts';
import { median, type Run, run } from './measure.ts';

const rounds = 9;
const plugin = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { webhooks: { type: 'string', default: '1' } },
});
/** Of each backend. */
const webhooks = Number(values.webhooks);
const sizes = positionals.length > 0 ? positionals.map(Number) : [100, 500];
const options = {
  name: 'bench-certificates',
  kind: 'api-server',
  owned: true,
  apiServerArguments: ['--service-cluster-ip-range=198.18.0.0/16'],
} as const;

const inSeconds = (runs: readonly Run[], of: (run: Run) => number): string => {
  const values = runs.map(of);
  return `${(Math.min(...values) / 1000).toFixed(2)} s best, ${(median(values) / 1000).toFixed(2)} s median`;
};

async function measure(kubeconfig: string, backends: number, probe: string): Promise<void> {
  const command = [plugin, 'cert-check', '--probe', probe, '--kubeconfig', kubeconfig];
  const [nothing, checks]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    nothing.push(await run([process.execPath, '-e', '0']));
    const check = await run(command);
    if (check.exitCode !== 1) throw new Error(`cert-check ended with ${check.exitCode}: ${check.stderr}`);
    checks.push(check);
  }
  console.log(`${backends * webhooks} callouts of ${backends} backends, cert-check --probe ${probe}`);
  console.log(`  wall time        ${inSeconds(checks, (one) => one.milliseconds)}`);
  console.log(`  processor time   ${inSeconds(checks, (one) => one.processorMilliseconds)}`);
  console.log(`  peak memory      ${median(checks.map((one) => one.mebibytes)).toFixed(0)} MiB`);
  console.log(`  node -e 0        ${inSeconds(nothing, (one) => one.milliseconds)}`);
}

/** Fails unless every handshake was made: otherwise the figures are about something else. */
async function expectAllServed(kubeconfig: string, backends: number): Promise<void> {
  const { stdout } = await plugged(['cert-check', '--kubeconfig', kubeconfig, '-o', 'json']);
  const { certificates } = JSON.parse(stdout) as CertificateReport;
  const served = certificates.filter(({ source }) => source === 'served').length;
  const expected = 2 * backends * webhooks;
  if (served !== expected) throw new Error(`${served} certificates were seen of ${expected}`);
}

const kubelet = fork(new URL('kubelet.ts', import.meta.url));
const [kubeletPort] = (await once(kubelet, 'message')) as [number];
const cluster = await createCluster(options);
try {
  await startCluster(cluster, await prepareParts('api-server'), options);
  const client = await connect(cluster.kubeconfig);
  await prepareNamespaces(client);
  await addNode(client, kubeletPort);
  let loaded = 0;
  for (const size of sizes) {
    await loadCertificates(client, loaded, size, webhooks);
    loaded = size;
    await measure(cluster.kubeconfig, size, 'none');
    await expectAllServed(cluster.kubeconfig, size);
    await measure(cluster.kubeconfig, size, 'connect');
  }
} finally {
  await removeCluster(cluster);
  kubelet.disconnect();
}
