// Measures `serve` on the API server of docs/performance.md: requests without changes, the delay until a
// change is reported, and
// the memory after many changes:
//   node test/bench/serve.ts [CHANGES] [IDLE SECONDS]
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, connect } from '../cluster/client.ts';
import { createCluster, prepareParts, removeCluster, startCluster } from '../cluster/clusters.ts';
import { waitFor } from '../cluster/wait.ts';
import { startServing } from '../support/serve.ts';
import { loadCluster } from './load.ts';
import { median } from './measure.ts';

const changes = Number(process.argv[2] ?? 10_000);
const idleSeconds = Number(process.argv[3] ?? 300);

/** In turn: a Service, whether an endpoint is ready, and the timeout of the webhooks of a configuration. */
async function changeOf(
  client: Client,
  change: number,
  { number, namespace }: { readonly number: string; readonly namespace: string },
): Promise<void> {
  const name = `backend-${number}`;
  const round = Math.floor(change / 1500);
  if (change % 3 === 0) {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } };
    await client.patch(service, { metadata: { annotations: { change: String(change) } } });
  } else if (change % 3 === 1) {
    const metadata = { name: `${name}-ipv4`, namespace };
    const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata };
    const endpoints = ((await client.get(slice))?.endpoints ?? []) as readonly object[];
    const conditions = { ready: round % 2 === 1 };
    await client.patch(slice, { endpoints: endpoints.map((one) => ({ ...one, conditions })) });
  } else {
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: Number(number) % 2 === 0 ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration',
      metadata: { name: `configuration-${number}` },
    };
    const known = ((await client.get(configuration))?.webhooks ?? []) as readonly object[];
    const webhooks = known.map((one) => ({ ...one, timeoutSeconds: 2 + (round % 9) }));
    await client.patch(configuration, { webhooks });
  }
}

const options = {
  name: `serve-${process.pid}`,
  kind: 'api-server',
  owned: true,
  apiServerArguments: ['--service-cluster-ip-range=198.18.0.0/16'],
} as const;
const parts = await prepareParts('api-server');
const cluster = await createCluster(options);
try {
  await startCluster(cluster, parts, options);
  const client = await connect(cluster.kubeconfig);
  await loadCluster(client);
  const server = await startServing([
    '--allow-anonymous',
    '--probe',
    'none',
    '--kubeconfig',
    cluster.kubeconfig,
  ]);
  const value = async (start: string): Promise<number> =>
    [...(await server.metrics())].reduce((sum, [key, one]) => (key.startsWith(start) ? sum + one : sum), 0);
  const resident = async (): Promise<string> =>
    `${Math.round((await value('process_resident_memory_bytes')) / 2 ** 20)} MiB`;
  const requests = () => value('kubectl_webhook_api_requests_total');
  console.log(
    `first judgement: ${await requests()} requests, ${await value('kubectl_webhook_judgement_duration')} s`,
  );

  const [before, processor] = [await requests(), await value('process_cpu_seconds_total')];
  await sleep(idleSeconds * 1000);
  const idle = (await requests()) - before;
  const share = ((await value('process_cpu_seconds_total')) - processor) / idleSeconds;
  console.log(
    `idle: ${(idle / idleSeconds).toFixed(2)} requests a second, ${(100 * share).toFixed(1)} % of a processor, ${await resident()}`,
  );

  const slices = await Promise.all(
    ['ipv4', 'ipv6'].map(async (family) => {
      const metadata = { name: `backend-001-${family}`, namespace: 'ns-001' };
      return client.get({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata });
    }),
  );
  const own = [...(await server.metrics()).keys()].find(
    (key) => key.startsWith('kubectl_webhook_healthy') && key.includes('"configuration-001"'),
  );
  if (own === undefined) throw new Error('the cluster of the bench has changed');
  const took: number[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const ready = turn % 2 === 1;
    const began = performance.now();
    for (const slice of slices) {
      if (slice === undefined) throw new Error('the cluster of the bench has changed');
      const endpoints = slice.endpoints.map((one: object) => ({ ...one, conditions: { ready } }));
      await client.patch(slice, { endpoints });
    }
    await waitFor('the verdict', async () => (await server.metrics()).get(own) === (ready ? 1 : 0), {
      interval: 50,
    }).catch((error: Error) => console.log(error.message));
    took.push(performance.now() - began);
    await sleep(3_000);
  }
  const evaluating = await value('kubectl_webhook_judgement_duration');
  console.log(
    `a change is told after ${Math.round(median(took))} ms (${Math.round(Math.max(...took))} at most), of which ${Math.round(evaluating * 1000)} evaluate; load ${loadavg()[0]?.toFixed(1)}`,
  );

  console.log(`memory before the changes: ${await resident()}`);
  const judged = await value('kubectl_webhook_judgements_total');
  for (let change = 1; change <= changes; change += 1) {
    const number = String(change % 500).padStart(3, '0');
    const namespace = `ns-${String((change % 500) % 50).padStart(3, '0')}`;
    await changeOf(client, change, { number, namespace });
    if (change % 1000 === 0)
      console.log(
        `${change} changes: ${await resident()}, ${(await value('kubectl_webhook_judgements_total')) - judged} judgements, ${await requests()} requests`,
      );
  }
  server.kill('SIGTERM');
  await server.ended;
  client.close();
} finally {
  await removeCluster(cluster);
}
