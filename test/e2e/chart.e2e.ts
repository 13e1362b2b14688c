import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { serveMetrics } from '../../src/serve/metrics.ts';
import { openMetricsText } from '../../src/serve/open-metrics.ts';
import { countIn, newRecord } from '../../src/serve/record.ts';
import { deployBackend, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { helmBinary } from '../cluster/helm.ts';
import { programArchive } from '../cluster/image.ts';
import { defaultVersion } from '../cluster/kubernetes.ts';
import { importImage } from '../cluster/node.ts';
import { type Prometheus, startPrometheus } from '../cluster/prometheus.ts';
import { promtool } from '../cluster/promtool.ts';
import { run } from '../cluster/run-command.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { metricValues, startServing } from '../support/serve.ts';

const root = join(import.meta.dirname, '../..');
const chart = join(root, 'charts/kubectl-webhook');
const plain = join(root, 'docs/examples/serve.yaml');

const everything = [
  'serviceMonitor.enabled=true',
  'prometheusRule.enabled=true',
  'prometheusRule.certificateDays=21',
  'dashboard.enabled=true',
  'tlsSecret=tls',
  'readers[0].namespace=monitoring',
  'readers[0].name=prometheus',
  'secrets.shop={policy-tls,other-tls}',
  'networkPolicy.from[0].namespaceSelector.matchLabels.a=b',
];

const helmLines = readFileSync(join(root, 'docs/fleet.md'), 'utf8').match(/^helm .*$/gm) ?? [];

/** Webhooks that fail, are degraded, admit requests unchecked, and respond. */
const shownScenarios = ['crash-loop', 'fails-open-unseen', 'replicas-disagree'];

const objectsIn = (manifests: string): readonly KubeObject[] =>
  parseAllDocuments(manifests).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);

describe('the Helm chart', function () {
  this.timeout(300_000);
  let helm = '';
  before(async function () {
    this.timeout(1_200_000);
    helm = await helmBinary();
  });
  const template = (...values: readonly string[]): Promise<string> =>
    run(helm, [
      ...['template', 'kubectl-webhook', chart, '-n', 'monitoring', '--kube-version', defaultVersion],
      ...values.flatMap((value) => ['--set', value]),
    ]);

  it('passes helm lint and our lint, and contains no webhook', async () => {
    await run(helm, ['lint', '--strict', chart]);
    for (const values of [[], everything, ['replicas=1']]) {
      const manifests = await template(...values);
      const file = fileWith(manifests, 'manifests.yaml');
      const { code, stdout } = await plugin(['lint', '-f', file, '--fail-on', 'warning']);
      expect(code, stdout).to.equal(0);
      const kinds = objectsIn(manifests).map(({ kind }) => kind);
      expect(kinds.join()).to.not.contain('WebhookConfiguration');
      for (const kind of ['PodDisruptionBudget', 'Role'])
        expect(kinds.includes(kind), kind).to.equal(!values.includes('replicas=1'));
      for (const kind of ['ServiceMonitor', 'PrometheusRule', 'ConfigMap'])
        expect(kinds.includes(kind), kind).to.equal(values === everything);
    }
    for (const value of ['probe=all', 'replicas=0', 'no.such=value', 'interval=soon']) {
      const refused = await template(value).catch((error: Error) => error.message);
      expect(refused).to.contain("don't meet the specifications of the schema");
    }
  });

  it('grants what "rbac serve" prints; its plain manifests are docs/examples/serve.yaml (UPDATE=1)', async () => {
    const manifests = await template();
    const named = ['rbac', 'serve', '--serviceaccount', 'monitoring:kubectl-webhook', '-o', 'json'];
    const wanted: readonly KubeObject[] = JSON.parse((await plugin(named)).stdout).items;
    const granted = objectsIn(manifests);
    for (const kind of ['ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding']) {
      const [one, ...others] = granted.filter((object) => object.kind === kind);
      const printed = wanted.find((object) => object.kind === kind);
      expect(others).to.deep.equal([]);
      expect([one?.rules, one?.subjects]).to.deep.equal([printed?.rules, printed?.subjects]);
    }
    const text = `# Generated from the chart: helm template kubectl-webhook charts/kubectl-webhook -n monitoring\n${manifests}`;
    if (process.env.UPDATE === '1') writeFileSync(plain, text);
    expect(readFileSync(plain, 'utf8')).to.equal(text);
  });

  it('has rules and a dashboard that Prometheus accepts, for existing metrics', async () => {
    const objects = objectsIn(await template(...everything));
    const rules = objects.find(({ kind }) => kind === 'PrometheusRule')?.spec;
    const dashboard = objects.find(({ kind }) => kind === 'ConfigMap')?.data['kubectl-webhook.json'];
    await run(await promtool(), ['check', 'rules', fileWith(JSON.stringify(rules), 'rules.yaml')]);
    expect(JSON.stringify(rules)).to.contain('21 * 86400');
    const use = { residentBytes: 0, cpuSeconds: 0, startedAt: 0 };
    const names = serveMetrics(newRecord(), use, '0').map(({ name }) => name);
    for (const [name] of dashboard.matchAll(/kubectl_webhook_\w+/g))
      expect(names).to.include(name.replace(/_(total|bucket)$/, ''));
  });

  it('has a dashboard of panel types that Grafana has', async () => {
    const types = join(root, 'node_modules/@grafana/schema/dist/types/raw/dashboard/x/types.gen');
    // As in JSON: members of an enumeration are their values.
    const source = `import type { Dashboard } from ${JSON.stringify(types)};
      type Json<T> = T extends string ? \`\${T}\` : T extends number ? number : T extends readonly (infer E)[] ? Json<E>[]
        : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
      export const dashboard: Json<Dashboard> = `;
    const checked = (json: string): Promise<string> =>
      run('bash', [
        ...['-c', '"$@" >&2', '-', process.execPath, join(root, 'node_modules/typescript-native/bin/tsc')],
        ...[
          '--noEmit',
          '--strict',
          '--skipLibCheck',
          '--ignoreConfig',
          '--module',
          'nodenext',
          '--types',
          '',
        ],
        fileWith(source + json, 'dashboard.ts'),
      ]);
    const json = readFileSync(join(chart, 'files/dashboard.json'), 'utf8');
    await checked(json);
    const wrong = await checked(json.replace('"gridPos"', '"grid"')).catch((error: Error) => error.message);
    expect(wrong).to.contain('\'"grid"\' does not exist');
  });

  it('shows data in every panel while webhooks fail', async () => {
    const { panels } = JSON.parse(readFileSync(join(chart, 'files/dashboard.json'), 'utf8')) as {
      readonly panels: readonly {
        readonly title: string;
        readonly targets: readonly { readonly expr: string }[];
      }[];
    };
    const parts = scenarios.filter(({ slug }) => shownScenarios.includes(slug)).flatMap((one) => one.parts);
    const server = await startApiServer(clusterContent(parts, new Date()));
    const serving = await startServing(['--allow-anonymous', '--kubeconfig', fileWith(server.kubeconfig())]);
    try {
      const wanted = new Set(JSON.stringify(panels).match(/kubectl_webhook_\w+/g));
      // The embedded cluster counts no calls.
      const counted = newRecord();
      for (const counter of [counted.unchecked, counted.blocked])
        countIn(counter, ['validating', 'payments-policy.example.com']);
      const use = { residentBytes: 0, cpuSeconds: 0, startedAt: 0 };
      const calls = metricValues(openMetricsText(serveMetrics(counted, use, '0')));
      const values = await waitFor('all that the dashboard shows to be measured', async () => {
        const found = new Map([...calls, ...(await serving.metrics())]);
        const names = new Set([...found.keys()].map((key) => key.split('{')[0]));
        return [...wanted].every((name) => names.has(name)) && found;
      });
      const series = [...values].map(([key, value]) => ({
        series: key,
        values: /_(total|bucket|count|sum)(\{|$)/.test(key) ? `${value}+1x20` : `${value}x20`,
      }));
      const tests = panels.map(({ targets }) => ({
        interval: '1m',
        input_series: series,
        promql_expr_test: targets.map(({ expr }) => {
          const query = expr.replaceAll('$cluster', '.*').replaceAll('$__rate_interval', '5m');
          // A value that is zero without data must be greater than zero.
          const shown = query.includes('vector(0)') ? `(${query}) > bool 0` : `count(${query}) > bool 0`;
          return { expr: shown, eval_time: '10m', exp_samples: [{ labels: '{}', value: 1 }] };
        }),
      }));
      expect(panels.filter(({ targets }) => targets.length === 0)).to.deep.equal([]);
      await run(await promtool(), ['test', 'rules', fileWith(JSON.stringify({ tests }), 'tests.yaml')]);
    } finally {
      serving.kill('SIGTERM');
      await serving.ended;
      await server.stop();
    }
  });

  describe('on a node', () => {
    needs('own-node');
    const scene = useScene(nodeCluster);
    before(async () => {
      const { folder = '' } = await nodeCluster();
      await importImage(folder, await programArchive());
    });

    const namespace = 'monitoring';

    /** Runs a line of helm in the namespace; a ServiceAccount `prometheus` may read the metrics. */
    const helmRuns = (line: string): Promise<string> =>
      run('bash', ['-c', `helm() { "$HELM" "$@" --wait --timeout 120s; }; ${line}`], {
        cwd: root,
        env: { HELM: helm, KUBECONFIG: scene.kubeconfig },
      });

    async function home(): Promise<void> {
      const { client } = scene;
      const object = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
      } as const;
      // A retry may start while the namespace of the first attempt is deleted.
      await waitFor('the namespace to be free', async () => (await client.get(object)) === undefined, {
        timeout: 60_000,
      });
      await scene.create(object);
      await scene.create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'prometheus', namespace },
      });
    }

    /** The token of that ServiceAccount, and the address of the Service of the chart. */
    async function access(): Promise<{ readonly bearer: string; readonly address: string }> {
      const { client } = scene;
      const token = `/api/v1/namespaces/${namespace}/serviceaccounts/prometheus/token`;
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'webhooks', namespace } };
      const { clusterIP } = (await client.get(service))?.spec ?? {};
      return {
        bearer: JSON.parse((await client.request('POST', token, review)).body).status.token,
        address: `${clusterIP}:8443`,
      };
    }

    it('is installed, serves authorized readers, is upgraded and uninstalled by the lines of docs/fleet.md', async () => {
      const { client } = scene;
      const [install = '', upgrade = '', uninstall = ''] = helmLines;
      expect(helmLines).to.have.length(3);
      await home();
      try {
        await helmRuns(install);
        const { bearer, address } = await access();
        const ask = (path: string, ...more: readonly string[]): Promise<string> =>
          run('curl', ['-sSk', '--max-time', '20', ...more, `https://${address}${path}`]);
        const status = (path: string, ...more: readonly string[]) =>
          ask(path, '-o', '/dev/null', '-w', '%{http_code}', ...more);
        const allowed = ['-H', `Authorization: Bearer ${bearer}`];
        // kube-proxy may not know the ready Pods yet.
        await waitFor('a connection to the Service', () => status('/metrics'));
        expect(await status('/metrics')).to.equal('401');
        expect(await status('/', ...allowed)).to.equal('200');
        const metrics = metricValues(await ask('/metrics', ...allowed));
        const refusals = [...metrics.keys()].filter((key) => /unread\{|code="403"/.test(key));
        expect(refusals).to.deep.equal([]);
        const lease = {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'kubectl-webhook', namespace },
        };
        const holder = async (): Promise<string> => (await client.get(lease))?.spec.holderIdentity ?? '';
        expect(await holder()).to.match(/^webhooks-/);

        await helmRuns(upgrade);
        await waitFor(
          'the second Pod to end',
          async () => (await client.list('v1', 'Pod', namespace)).length === 1,
          { timeout: 60_000 },
        );
        expect(await status('/metrics', ...allowed)).to.equal('200');
      } finally {
        await helmRuns(uninstall);
      }
      for (const [apiVersion, kind] of [
        ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
        ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
        ['rbac.authorization.k8s.io/v1', 'Role'],
        ['networking.k8s.io/v1', 'NetworkPolicy'],
        ['apps/v1', 'Deployment'],
        ['v1', 'Service'],
      ] as const) {
        const left = (await client.list(apiVersion, kind)).map(({ metadata }) => metadata.name ?? '');
        expect(
          left.filter((name) => name.startsWith('webhooks') || name.startsWith(namespace)),
        ).to.deep.equal([]);
      }
    });

    it('has alerts that fire in Prometheus while webhooks fail, and then resolve', async () => {
      const { client } = scene;
      const [install = '', , uninstall = ''] = helmLines;
      const ca = await authority({ cn: 'alerts', days: 400 });
      // Its Pods serve; the certificate in its Secret expires soon.
      await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
      const secretOf = async (days: number): Promise<KubeObject> => {
        const { cert, key } = await issue(ca, { dns: [`guard.${scene.namespace}.svc`], days });
        return {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'guard', namespace: scene.namespace },
          type: 'kubernetes.io/tls',
          stringData: { 'tls.crt': cert, 'tls.key': key },
        };
      };
      await client.apply(await secretOf(5));
      await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
      await home();
      const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-prometheus-'));
      let prometheus: Prometheus | undefined;
      let calling: NodeJS.Timeout | undefined;
      try {
        await helmRuns(`${install} --set interval=10s --set 'secrets.${scene.namespace}={guard}'`);
        const { bearer } = await access();
        prometheus = await startPrometheus(folder, bearer);
        // Each replica, as a ServiceMonitor does: only the leader counts calls.
        const replicas = (await client.list('v1', 'Pod', namespace)).map(
          ({ status }) => `${status.podIP}:8443`,
        );
        expect(replicas).to.have.length(2);
        prometheus.scrape(replicas);
        const fires = async (alert: string, label = '', value = ''): Promise<boolean> =>
          ((await prometheus?.firing()) ?? []).some(
            (labels) => labels.alertname === alert && (label === '' || labels[label] === value),
          );
        const patience = { timeout: 120_000, interval: 500 };
        const expires = () => fires('WebhookCertificateExpires', 'place', 'secret');
        await waitFor('the certificate to be reported', expires, patience);
        expect(await fires('WebhookFailing')).to.equal(false);
        await client.apply(await secretOf(300));
        await waitFor('the new certificate to be seen', async () => !(await expires()), patience);

        // Both without a Service; requests with their label are sent to each.
        const [blocking, ignoring] = (['Fail', 'Ignore'] as const).map((failurePolicy) => {
          const service = failurePolicy.toLowerCase();
          const objectSelector = { matchLabels: { calls: service } };
          return validatingWebhook(scene.namespace, {
            service,
            caBundle: ca.cert,
            webhook: { failurePolicy, objectSelector },
          });
        }) as [KubeObject, KubeObject];
        await scene.create(blocking);
        await scene.create(ignoring);
        const call = (calls: string): Promise<unknown> =>
          scene
            .create(
              { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'call-', labels: { calls } } },
              { dryRun: true },
            )
            .catch(() => undefined);
        calling = setInterval(() => void Promise.all([call('fail'), call('ignore')]), 500);
        const broken = ['WebhookFailing', 'WebhookRequestsBlocked', 'WebhookRequestsUnchecked'];
        for (const alert of broken) await waitFor(`${alert} to fire`, () => fires(alert), patience);
        expect(await fires('WebhookFailing', 'webhook', 'fail.example.com')).to.equal(true);
        expect(await fires('WebhookFailing', 'webhook', 'guard.example.com')).to.equal(false);
        clearInterval(calling);
        await client.delete(blocking);
        await client.delete(ignoring);
        for (const alert of broken)
          await waitFor(`${alert} to resolve`, async () => !(await fires(alert)), patience);
      } finally {
        clearInterval(calling);
        await prometheus?.stop();
        rmSync(folder, { recursive: true });
        await helmRuns(uninstall);
      }
    });
  });
});
