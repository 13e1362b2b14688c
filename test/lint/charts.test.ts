import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { LintReport } from '../../src/lint/lint-report.ts';
import { inProcess } from '../support/in-process.ts';

/** A folder of manifests, and lint's report about it. */
async function lintOf(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'lint-charts-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { code, stdout, stderr } = await inProcess(['lint', '-o', 'json', '-f', folder, ...args]);
  if (stdout === '') return { code, stderr, findings: [], notLookedAt: [], files: 0 };
  const { findings, notLookedAt = [], summary } = JSON.parse(stdout) as LintReport;
  return {
    code,
    stderr,
    findings: findings.map(({ check, severity, subject }) => `${severity} ${check} ${subject.kind}`),
    notLookedAt: notLookedAt.map(({ what }) => String(what).replace(folder, '')),
    files: summary.files,
  };
}

const configuration = (over: { caBundle?: string; annotations?: object; groups?: readonly string[] } = {}) =>
  JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'guard', annotations: over.annotations ?? {} },
    webhooks: ['a', 'b'].map((name) => ({
      name: `${name}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 5,
      clientConfig: {
        service: { name: 'guard', namespace: 'shop' },
        ...(over.caBundle === undefined ? {} : { caBundle: over.caBundle }),
      },
      namespaceSelector: { matchExpressions: [{ key: 'guarded', operator: 'Exists' }] },
      rules: [
        {
          apiGroups: over.groups ?? ['example.com'],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['pods', 'tenants'],
        },
      ],
    })),
  });
const backend = (replicas = 2, labels = {}) =>
  [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'guard', namespace: 'shop' },
      spec: { selector: { app: 'guard' }, ports: [{ port: 443, targetPort: 8443 }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'guard', namespace: 'shop' },
      spec: {
        replicas,
        selector: { matchLabels: { app: 'guard' } },
        template: {
          metadata: { labels: { app: 'guard' } },
          spec: {
            containers: [
              {
                name: 'guard',
                image: 'guard',
                ports: [{ containerPort: 8443 }],
                readinessProbe: { tcpSocket: { port: 8443 } },
              },
            ],
          },
        },
      },
    },
  ]
    .map((object) => JSON.stringify(object))
    .join('\n---\n');
const scaler = JSON.stringify({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'guard', namespace: 'shop' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'guard' }, minReplicas: 2, maxReplicas: 4 },
});
const all = { groups: ['', 'example.com'] };

describe('lint of charts and Git repositories', () => {
  const emptyLine = { caBundle: Buffer.from('\n').toString('base64') };

  it('a placeholder in the caBundle may be replaced later, as an empty one may be filled in', async () => {
    const wrong = { caBundle: Buffer.from('words').toString('base64') };
    expect((await lintOf({ 'a.yaml': configuration(wrong) })).findings).to.deep.equal([
      'error ca-bundle-invalid ValidatingWebhookConfiguration',
      'error ca-bundle-invalid ValidatingWebhookConfiguration',
    ]);
    const annotations = { 'cert-manager.io/inject-ca-from': 'shop/guard' };
    for (const harmless of [emptyLine, { ...wrong, annotations }])
      expect((await lintOf({ 'a.yaml': configuration(harmless) })).findings).to.deep.equal([]);
  });

  it('webhooks of one configuration with the same fault share a message', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lint-charts-')), 'a.yaml');
    writeFileSync(file, configuration({ caBundle: Buffer.from('words').toString('base64') }));
    const { stdout } = await inProcess(['lint', '-f', file]);
    expect(stdout).to.match(/guard \(a\.example\.com and\s+1 more\)/);
    expect(stdout.match(/caBundle is not PEM/g)).to.have.length(1);
    expect(stdout).to.contain('2 errors');
  });

  it('new Pods of its own backend must not depend on the webhook', async () => {
    const needed = { 'a.yaml': configuration(all), 'b.yaml': backend(2, { guarded: 'yes' }) };
    const [first, second, ...more] = (await lintOf(needed)).findings;
    expect([first, second]).to.deep.equal([
      'warning bootstrap-deadlock ValidatingWebhookConfiguration',
      'warning bootstrap-deadlock ValidatingWebhookConfiguration',
    ]);
    expect(more.join()).to.not.include('deadlock');
    expect((await lintOf({ 'a.yaml': configuration(all), 'b.yaml': backend() })).findings).to.deep.equal([]);
  });

  it('one replica is a risk once, if other resources than its own need it and nothing scales it', async () => {
    const one = { 'a.yaml': configuration(all), 'b.yaml': backend(1) };
    expect((await lintOf(one)).findings).to.deep.equal(['warning outage-risk-single-replica Deployment']);
    expect((await lintOf({ ...one, 'c.yaml': scaler })).findings).to.deep.equal([]);
    expect((await lintOf({ ...one, 'a.yaml': configuration() })).findings).to.deep.equal([]);
  });

  it('a missing field of a container is reported once, for its workload, without a PodDisruptionBudget in the set', async () => {
    const { findings } = await lintOf(
      { 'a.yaml': configuration(), 'b.yaml': backend() },
      '--severity',
      'info',
    );
    expect(findings.filter((one) => one.includes('drain'))).to.deep.equal([
      'info no-drain-before-stop Deployment',
    ]);
    expect(findings.join()).to.not.include('no-disruption-budget');
  });

  it('of an object in several files the last one is used', async () => {
    const { findings } = await lintOf({
      'dev/a.yaml': configuration(emptyLine),
      'prod/a.yaml': configuration(),
    });
    expect(findings).to.deep.equal([]);
  });

  it('patches of a kustomization are not manifests', async () => {
    const patch =
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: guard}\nspec: {template: {spec: {}}}\n';
    const files = { 'base/a.yaml': configuration(), 'base/patches/b.yaml': patch };
    expect((await lintOf(files)).findings).to.deep.equal(['error refused-by-api-server Deployment']);
    const kustomization = 'resources: [a.yaml]\n# patches: [{path: patches/b.yaml}]\n';
    const { findings, code, ...rest } = await lintOf({ ...files, 'base/kustomization.yaml': kustomization });
    expect({ findings, code, files: rest.files }).to.deep.equal({ findings: [], code: 0, files: 1 });
  });

  it('templates are skipped, and the rest is checked', async () => {
    const template = 'apiVersion: v1\nkind: Service\n{{- if .Values.x }}\nmetadata: {}\n{{- end }}\n';
    const quoted =
      'apiVersion: v1\nkind: Service\nmetadata: {name: "{{ .Release.Name }}"}\nspec: {ports: x}\n';
    const { findings, code, notLookedAt } = await lintOf({
      'a.yaml': configuration(),
      'b.yaml': template,
      'chart/Chart.yaml': 'apiVersion: v2\nname: x\n',
      'chart/templates/c.yaml': quoted,
      'data.json': '{"a": 1}\n{"a": 2}\n',
      'twice.json': '{"a": 1, "a": 2}',
    });
    expect({ findings, code }).to.deep.equal({ findings: [], code: 3 });
    expect(notLookedAt).to.deep.equal(['Helm chart /chart', '/b.yaml']);
    const alone = await lintOf({ 'Chart.yaml': 'name: x\n', 'templates/c.yaml': quoted });
    expect(alone.code).to.equal(2);
    expect(alone.stderr).to.include('helm template');
  });

  it('the API server completes a name', async () => {
    const job = (metadata: object) =>
      JSON.stringify({
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata },
        spec: { template: { spec: { containers: [{ name: 'a', image: 'a' }] } } },
      });
    expect((await lintOf({ 'a.yaml': job({ generateName: 'a-' }) })).findings).to.deep.equal([]);
    expect((await lintOf({ 'a.yaml': job({}) })).findings).to.deep.equal(['error refused-by-api-server Job']);
  });

  it('unknown kinds alone are an error; beside others they are not', async () => {
    const unknown = 'apiVersion: example.com/v1\nkind: Foo\nmetadata: { name: a }\n';
    const alone = await lintOf({ 'a.yaml': unknown });
    expect(alone.code).to.equal(2);
    expect(alone.stderr).to.match(/a\.yaml:1: lint examines no object of kind Foo \(example\.com\/v1\)/);
    const beside = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n---\n';
    expect((await lintOf({ 'a.yaml': beside + unknown })).code).to.equal(0);
  });

  it('a manifest with a syntax error is an error', async () => {
    const { code, stderr } = await lintOf({ 'a.yaml': 'apiVersion: v1\nkind: [Service\nmetadata: {}\n' });
    expect(code).to.equal(2);
    expect(stderr).to.match(/a\.yaml, line \d/);
  });
});
