import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { LintReport } from '../../src/lint/lint-report.ts';
import { ManifestProblem, manifestsOf } from '../../src/lint/manifest.ts';
import { inProcess } from '../support/in-process.ts';
import { plugin, startPlugin } from '../support/plugin.ts';
import { validSarif } from '../support/sarif.ts';
import { lintSchemaErrors } from '../support/schema.ts';

const webhook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: policy
webhooks:
- name: policy.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 5
  clientConfig:
    service:
      name: policy
      namespace: shop
      port: 9443
  rules:
  - apiGroups: [example.com]
    apiVersions: [v1]
    operations: [CREATE]
    resources: [tenants]
`;
const service = `apiVersion: v1
kind: Service
metadata: {name: policy, namespace: shop}
spec:
  selector: {app: policy}
  ports:
  - port: 443
    targetPort: https
`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: policy, namespace: shop}
spec:
  selector: {matchLabels: {app: policy}}
  template:
    metadata: {labels: {app: policy}}
    spec:
      containers:
      - name: webhook
        image: policy
        ports: [{name: https, containerPort: 8443}]
        readinessProbe: {tcpSocket: {port: 8443}}
`;

const folder = mkdtempSync(join(tmpdir(), 'lint-'));
function file(name: string, ...parts: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, parts.join('---\n'));
  return path;
}

/** Runs the plugin with a text on its standard input. */
const given = (text: string, args: readonly string[]) =>
  startPlugin(args, {}, undefined, ['sh', '-c', `exec "$@" < '${file('input', text)}'`, 'sh']).ended;

async function lint(...args: readonly string[]): Promise<{ code: number | null; report: LintReport }> {
  const { code, stdout, stderr } = await inProcess(['lint', '-o', 'json', ...args]);
  expect(stderr).to.equal('');
  expect(lintSchemaErrors(JSON.parse(stdout))).to.deep.equal([]);
  return { code, report: JSON.parse(stdout) };
}
const told = ({ findings }: LintReport) => findings.map(({ check, line }) => `${check}:${line}`);

describe('manifestsOf', () => {
  it('finds the line of an object, of a field, and of a missing field', () => {
    const [first, second] = manifestsOf(`${webhook}---\n${service}`, 'a.yaml');
    expect([first?.line, second?.line]).to.deep.equal([1, 21]);
    expect(first?.lineOf('webhooks[0]')).to.equal(6);
    expect(first?.lineOf('webhooks[0].timeoutSeconds')).to.equal(9);
    expect(first?.lineOf('webhooks[0].clientConfig.caBundle')).to.equal(10);
    expect(first?.lineOf('spec.nothing')).to.equal(1);
  });

  it('distinguishes a key from one with the same prefix, however it is quoted, in lists and maps', () => {
    const text = `{"kind": "A", "apiVersion": v1,\n"namespace": 1,\n'name': [\n{a: 1},\n{"b":\n2}], x: &x\n {y: 1}, z: *x}`;
    const [one] = manifestsOf(text, 'a.yaml');
    const lines = ['namespace', 'name', 'name[1]', 'name[1].b', 'name.b', 'x.y', 'z.y', '[0]', 'names'];
    expect(lines.map((field) => one?.lineOf(field))).to.deep.equal([2, 3, 5, 5, 3, 7, 7, 1, 1]);
  });

  it('splits lists', () => {
    const list = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'Namespace' }],
    });
    expect(manifestsOf(list, 'a.json').map(({ object }) => object.kind)).to.deep.equal(['Namespace']);
  });

  for (const [what, text, says] of [
    ['a syntax error', 'a: [1\nb: 2\n', /^a\.yaml, line \d/],
    [
      'a template',
      'metadata:\n  name: {{ .Release.Name }}\n  {{- end }}\n',
      /this is a template; render it first/,
    ],
    ['a key that appears twice', 'a: 1\na: 2\n', /line 2: the key a appears twice/],
    ['no object', '- 1\n', /not a Kubernetes object/],
    ['no kind', 'a: 1\n', /no apiVersion or no kind/],
  ] as const)
    it(`refuses ${what}`, () => expect(() => manifestsOf(text, 'a.yaml')).to.throw(ManifestProblem, says));

  it('skips what is not an object if it may', () =>
    expect(manifestsOf('a: 1\n', 'values.yaml', 'skipped')).to.deep.equal([]));
});

describe('kubectl webhook lint', () => {
  it('finds nothing in valid manifests', async () => {
    const { code, report } = await lint(
      '-f',
      file('good.yaml', webhook.replace('9443', '443'), service, deployment),
    );
    expect(told(report)).to.deep.equal([]);
    expect(report.summary).to.include({ files: 1, objects: 3, callouts: 1 });
    expect(code).to.equal(0);
  });

  it('concludes nothing from missing manifests', async () => {
    const { code, report } = await lint('-f', file('alone.yaml', webhook));
    expect(told(report)).to.deep.equal([]);
    expect(code).to.equal(0);
  });

  it('compares ports, names and labels, with file and line', async () => {
    const wrong = deployment.replace('name: https, ', '').replace(/ +readinessProbe.*\n/, '');
    const { code, report } = await lint('-f', file('ports.yaml', webhook, service, wrong));
    expect(told(report)).to.deep.equal(['service-port-missing:14', 'target-port-name-missing:26']);
    expect(code).to.equal(1);
    const unprobed = deployment.replace(/ +readinessProbe.*\n/, '');
    const { report: called } = await lint(
      '-f',
      file('ready.yaml', webhook.replace('9443', '443'), service, unprobed),
    );
    expect(told(called)).to.deep.equal(['readiness-does-not-cover-webhook:38']);
    const { report: other } = await lint(
      '-f',
      file(
        'labels.yaml',
        webhook.replace('9443', '443'),
        service,
        deployment.replaceAll('app: policy', 'app: other'),
      ),
    );
    expect(told(other)).to.deep.equal(['selector-matches-no-pod:25']);
  });

  it('reports a workload without replicas behind a webhook', async () => {
    const stopped = deployment.replace('spec:', 'spec:\n  replicas: 0');
    expect(stopped).to.include('replicas: 0');
    const { report } = await lint(
      '-f',
      file('stopped.yaml', webhook.replace('9443', '443'), service, stopped),
    );
    expect(told(report).map((one) => one.replace(/:.*/, ''))).to.deep.equal(['workload-scaled-to-zero']);
  });

  it('reports what the API server refuses, with its error', async () => {
    const text = webhook
      .replace('timeoutSeconds: 5', 'timeoutSeconds: 60')
      .replace('  sideEffects: None\n', '');
    const { report } = await lint('-f', file('refused.yaml', text), '--severity', 'error');
    expect(report.findings.map(({ message, line }) => `${line} ${message}`)).to.deep.equal([
      '6 webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
      '8 webhooks[0].timeoutSeconds: Invalid value: 60: the timeout value must be between 1 and 30 seconds',
    ]);
  });

  it('reads directories and standard input, and prints SARIF with places', async () => {
    const { code, stdout } = await plugin(['lint', '-f', folder, '-o', 'sarif']);
    expect(code).to.equal(1);
    const log = JSON.parse(stdout);
    expect(validSarif(log), JSON.stringify(validSarif.errors)).to.equal(true);
    const { region, artifactLocation } = log.runs[0].results[0].locations[0].physicalLocation;
    expect(region.startLine).to.be.greaterThan(0);
    expect(artifactLocation.uri).to.match(/\.yaml$/);
    const piped = await given(webhook, ['lint', '-f', '-']);
    expect(piped.stdout).to.equal('1 object in 1 file: no findings\n');
  });

  it('checks the others beside an invalid object, and names that one', async () => {
    const strange =
      'apiVersion: v1\nkind: Service\nmetadata: {name: odd, namespace: shop}\nspec: {ports: x}\n';
    const broken = webhook
      .replace('name: policy\n', 'name: broken\n')
      .replace(/webhooks:[\s\S]*/, 'webhooks: 5\n');
    const old = webhook.replace('io/v1', 'io/v1beta1');
    const { report } = await lint('-f', file('odd.yaml', strange, broken, old, webhook, service, deployment));
    expect(told(report)).to.deep.equal([
      'refused-by-api-server:4',
      'refused-by-api-server:10',
      'refused-by-api-server:12',
      'service-port-missing:45',
    ]);
    expect(report.findings[2]?.message).to.contain('not served since Kubernetes 1.22');
  });

  for (const [what, args, says] of [
    ['a missing file', ['-f', 'nowhere.yaml'], /^error: nowhere\.yaml cannot be read: no such file/],
    ['a binary', ['-f', process.execPath], /is not a text file|larger than/],
    ['a version', ['-f', '-', '--kubernetes-version', 'new'], /--kubernetes-version new is not a version/],
  ] as const)
    it(`refuses ${what} in one sentence`, async () => {
      const { code, stdout, stderr } = await given('', ['lint', ...args]);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.match(says);
    });
});
