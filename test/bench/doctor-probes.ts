// Measures the additional time of `doctor --probe review` over `--probe none`: 20 callouts with 5 replicas
// each, of which
// some hang.
//   node test/bench/doctor-probes.ts demo [HANGING]      the embedded cluster, in a process of its own
//   npm run cluster -- shell NAME -- node test/bench/doctor-probes.ts node [HANGING]      Pods on the cluster of KUBECONFIG
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { running } from '../../src/demo/cluster/behaviour.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { namespace, service } from '../../src/demo/cluster/manifests.ts';
import { validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../src/demo/cluster/workload-manifests.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { backendObjects, validatingWebhook, waitForEndpoints } from '../cluster/backend-pods.ts';
import { connect } from '../cluster/client.ts';
import { openScene } from '../cluster/scene.ts';
import { authority } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { median, type Run, run } from './measure.ts';

const [callouts, replicas, rounds] = [20, 5, Number(process.env.ROUNDS ?? 9)];
const [where, hanging = '0'] = process.argv.slice(2);
const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;
const names = Array.from({ length: callouts }, (_, index) => `policy-${index}`);
/** The first backends hang with all their Pods. */
const hangs = (name: string): boolean => names.indexOf(name) * replicas < Number(hanging);

/** The embedded cluster with all of them. */
function demoParts() {
  const backends = names.flatMap((name) => [
    service(`bench/${name}`),
    deployment(`bench/${name}`, {
      replicas,
      pods: Array.from({ length: replicas }, () => running(hangs(name) ? { fault: 'hang-tls' } : {})),
    }),
    validating(name, [webhook(`${name}.example.com`, { service: `bench/${name}` })]),
  ]);
  return [namespace('bench'), ...backends];
}

const spread = (values: readonly number[]): string =>
  `${Math.round(median(values))} ms (${Math.round(Math.min(...values))}–${Math.round(Math.max(...values))})`;

/** Runs both alternately, so that other load affects them equally. */
async function measure(kubeconfig: string, isOurs: (configuration: string) => boolean): Promise<void> {
  const doctor = (level: string): Promise<Run> =>
    run([program, 'doctor', '--probe', level, '-o', 'json', '--kubeconfig', kubeconfig]);
  const { stdout } = await plugin(['doctor', '-o', 'json', '--kubeconfig', kubeconfig]);
  const seen = (JSON.parse(stdout) as DoctorReport).callouts
    .filter(({ configuration }) => isOurs(configuration))
    .flatMap((callout) => callout.replicas.map(({ state }) => state));
  const [none, review]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    none.push(await doctor('none'));
    review.push(await doctor('review'));
  }
  const beyond = (of: (one: Run) => number): readonly number[] =>
    review.map((one, at) => of(one) - of(none[at] as Run));
  console.log(`${seen.length} replicas: ${seen.filter((state) => state === 'hangs').length} hang`);
  console.log(`--probe none       ${spread(none.map(({ milliseconds }) => milliseconds))}`);
  console.log(`--probe review     ${spread(review.map(({ milliseconds }) => milliseconds))}`);
  console.log(`beyond it, wall    ${spread(beyond(({ milliseconds }) => milliseconds))}`);
  console.log(`beyond it, processor ${spread(beyond((one) => one.processorMilliseconds))}`);
  console.log(`peak memory        ${Math.round(Math.max(...review.map(({ mebibytes }) => mebibytes)))} MiB`);
}

/** Pods of the test backend in a separate namespace. */
async function onNode(kubeconfig: string): Promise<void> {
  const client = await connect(kubeconfig);
  const scene = await openScene(client);
  const ca = await authority({ cn: 'bench-ca' });
  try {
    for (const name of names) {
      const args = hangs(name) ? ['--fault', 'hang-tls'] : [];
      const container = { readinessProbe: null };
      const objects = await backendObjects(scene.namespace, { name, ca, replicas, args, container });
      for (const object of objects) await scene.create(object);
    }
    // Twenty times a hundred programs that start at once are slow.
    for (const name of names) await waitForEndpoints(scene, name, replicas);
    for (const name of names)
      await scene.create(validatingWebhook(scene.namespace, { service: name, caBundle: ca.cert }));
    await measure(kubeconfig, (configuration) => configuration.endsWith(scene.namespace));
  } finally {
    await scene.leave();
    client.close();
  }
}

if (process.send) {
  const server = await startApiServer(clusterContent(demoParts(), new Date()));
  process.send(server.kubeconfig());
} else if (where === 'demo') {
  const child = fork(new URL(import.meta.url), process.argv.slice(2));
  const [kubeconfig] = (await once(child, 'message')) as [string];
  await measure(fileWith(kubeconfig), () => true);
  child.kill();
} else if (where === 'node' && process.env.KUBECONFIG) {
  await onNode(process.env.KUBECONFIG);
} else {
  console.error('usage: node test/bench/doctor-probes.ts demo|node [HANGING]; node takes KUBECONFIG');
  process.exitCode = 2;
}
