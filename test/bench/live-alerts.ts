// Loads the alerts of the chart into a real Prometheus, which scrapes `serve` on a real API server with a
// token, breaks
// webhooks and fixes them: each alert must fire and resolve. Only the times of the alerts are shortened.
//   node test/bench/live-alerts.ts [PROMETHEUS]    (Debian: apt-get install prometheus)
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import { type Client, connect, type KubeObject } from '../cluster/client.ts';
import { createCluster, prepareParts, removeCluster, startCluster } from '../cluster/clusters.ts';
import { hurriedRules, startPrometheus } from '../cluster/prometheus.ts';
import { anotherApiServer } from '../cluster/second-api-server.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { type Serving, startServing } from '../support/serve.ts';

const namespace = 'default';
const patience = { timeout: 120_000, interval: 500 };

const wanted = new Set(hurriedRules().groups.flatMap((group) => group.rules.map(({ alert }) => alert)));

const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-alerts-'));
const options = { name: `alerts-${process.pid}`, kind: 'api-server', owned: true } as const;
const parts = await prepareParts('api-server');
const cluster = await createCluster(options);
const ending: (() => unknown)[] = [() => removeCluster(cluster), () => rmSync(folder, { recursive: true })];
try {
  await startCluster(cluster, parts, options);
  const main = {
    client: await connect(cluster.kubeconfig),
    kubeconfig: cluster.kubeconfig,
    folder: cluster.folder,
  };
  ending.unshift(() => main.client.close());
  // This API server can be stopped while the other one still runs.
  let api = await anotherApiServer(main);
  ending.unshift(() => api.stop());

  const reader = { kind: 'ServiceAccount', name: 'prometheus', namespace };
  await main.client.create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'prometheus', namespace },
  });
  const rbac = 'rbac.authorization.k8s.io';
  await main.client.create({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'metrics-reader' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  await main.client.create({
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'metrics-reader' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'metrics-reader' },
    subjects: [reader],
  });
  const answer = await main.client.request(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/prometheus/token`,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    },
  );
  const prometheus = await startPrometheus(folder, JSON.parse(answer.body).status.token, process.argv[2]);
  ending.unshift(() => prometheus.stop());

  // A Lease with another holder: the only replica does not probe.
  const lease = (renewTime: Date): KubeObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'kubectl-webhook', namespace },
    spec: {
      holderIdentity: 'another',
      leaseDurationSeconds: 30,
      renewTime: renewTime.toISOString().replace('Z', '000Z'),
    },
  });
  const holding = setInterval(() => void main.client.apply(lease(new Date())).catch(() => undefined), 5_000);
  ending.unshift(() => clearInterval(holding));
  await main.client.apply(lease(new Date()));

  let serving: Serving | undefined;
  const endServing = async (): Promise<void> => {
    serving?.kill('SIGTERM');
    await serving?.ended;
  };
  const serve = async (kubeconfig: string, ...args: readonly string[]): Promise<void> => {
    await endServing();
    serving = await startServing(['--interval', '10s', '--kubeconfig', kubeconfig, '-n', namespace, ...args]);
    prometheus.scrape([`127.0.0.1:${serving.port}`]);
  };
  ending.unshift(endServing);
  await serve(api.kubeconfig, '--leader-elect', '--probe', 'connect');

  const firing = async (): Promise<ReadonlySet<string>> =>
    new Set((await prometheus.firing()).map(({ alertname = '' }) => alertname));
  const began = performance.now();
  const told = (text: string): void =>
    console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  /** Waits until the alert fires, runs the fix, and waits until the alert resolves. */
  const firesAndResolves = async (alert: string, mend: () => Promise<unknown>): Promise<void> => {
    await waitFor(`${alert} to fire`, async () => (await firing()).has(alert), patience);
    told(`${alert} fires`);
    await mend();
    await waitFor(`${alert} to resolve`, async () => !(await firing()).has(alert), patience);
    told(`${alert} resolves`);
    wanted.delete(alert);
  };

  await firesAndResolves('WebhooksNotProbed', async () => {
    clearInterval(holding);
    await main.client.delete(lease(new Date()));
  });

  // Fail and Ignore, both without a backend; requests of one label are sent to each.
  const { cert } = await authority({ cn: 'long', days: 400 });
  const client: Client = api.client;
  const hook = (name: string, caBundle: string, webhook: object): KubeObject =>
    validatingWebhook(namespace, { service: name, caBundle, webhook });
  const chosen = (name: string) => ({ objectSelector: { matchLabels: { calls: name } } });
  const calls = async (name: string): Promise<void> => {
    const configMap: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'call-', namespace, labels: { calls: name } },
    };
    await client.create(configMap, { dryRun: true }).catch(() => undefined);
  };
  const blocking = hook('blocking', cert, chosen('blocking'));
  const ignoring = hook('ignoring', cert, { ...chosen('ignoring'), failurePolicy: 'Ignore' });
  await client.create(blocking);
  await client.create(ignoring);
  const calling = setInterval(() => void Promise.all([calls('blocking'), calls('ignoring')]), 500);
  ending.unshift(() => clearInterval(calling));
  await waitFor('requests unchecked', async () => (await firing()).has('WebhookRequestsUnchecked'), patience);
  await firesAndResolves('WebhookRequestsBlocked', async () => clearInterval(calling));
  told('WebhookRequestsUnchecked fired meanwhile');
  await firesAndResolves('WebhookFailing', () =>
    Promise.all([client.delete(blocking), client.delete(ignoring)]),
  );
  await waitFor('unchecked to end', async () => !(await firing()).has('WebhookRequestsUnchecked'), patience);
  told('WebhookRequestsUnchecked resolves');
  wanted.delete('WebhookRequestsUnchecked');

  // A backend with one Pod, its status as from a kubelet, and matching endpoints. Diagnosed without probes.
  const guard = 'guard';
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: guard, namespace, labels: { app: guard } },
    spec: { nodeName: 'node1', containers: [{ name: guard, image: 'localhost/guard:1' }] },
  };
  const ready = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }));
  const status = { phase: 'Running', podIPs: [{ ip: '198.51.100.7' }], conditions: ready };
  const slice = (...pods: readonly string[]): KubeObject => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: guard, namespace, labels: { 'kubernetes.io/service-name': guard } },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8443, protocol: 'TCP' }],
    endpoints: pods.map((name, at) => ({
      addresses: [`198.51.100.${at + 7}`],
      conditions: { ready: true },
      ...(name === '' ? {} : { targetRef: { kind: 'Pod', name, namespace } }),
    })),
  });
  await client.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: guard, namespace },
    spec: { selector: { app: guard }, ports: [{ port: 443, targetPort: 8443 }] },
  });
  await client.create(pod);
  await client.patch(pod, { status }, 'status');
  await client.create(slice(guard, 'gone'));
  const soon = await authority({ cn: 'soon', days: 10 });
  const expiring = hook(guard, soon.cert, {});
  await client.create(expiring);

  await serve(api.kubeconfig, '--probe', 'none');
  await firesAndResolves('WebhookDegraded', () => client.apply(slice(guard)));
  await firesAndResolves('WebhookCertificateExpires', async () => {
    await client.delete(expiring);
    await client.create(hook(guard, cert, {}));
    // Certificates are read every ten minutes, and at the start.
    await serve(api.kubeconfig, '--probe', 'none');
  });
  await client.apply(slice(''));
  await firesAndResolves('WebhookUnknown', () => client.apply(slice(guard)));
  await api.stop();
  await firesAndResolves('WebhooksNotJudged', async () => {
    api = await anotherApiServer(main, api.port);
  });
  if (wanted.size > 0) throw new Error(`not tried: ${[...wanted].join(', ')}`);
  console.log('each alert has fired and resolved');
} finally {
  for (const end of ending) await end();
}
