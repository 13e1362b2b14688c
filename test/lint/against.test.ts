import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { LintReport } from '../../src/lint/lint-report.ts';
import { authority, issue } from '../support/certificates.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { lintSchemaErrors } from '../support/schema.ts';

const hook = (
  name: string,
  namespace: string,
  service: string,
  resource: string,
  more = '',
) => `- name: ${name}.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 5
  clientConfig: {${more}service: {name: ${service}, namespace: ${namespace}}}
  rules:
  - apiGroups: [example.com]
    apiVersions: [v1]
    operations: [CREATE]
    resources: [${resource}]
`;
const configuration = (name: string, ...hooks: readonly string[]) =>
  `apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: ${name}}\nwebhooks:\n${hooks.join('')}`;
const object = (apiVersion: string, kind: string, metadata: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\n`;
const definition = `${object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', '{name: tenants.example.com}')}spec:
  group: example.com
  scope: Namespaced
  names: {plural: tenants, kind: Tenant}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`;
const service = (namespace: string) =>
  `${object('v1', 'Service', `{name: mine, namespace: ${namespace}}`)}spec: {selector: {app: mine}, ports: [{port: 443, targetPort: 8443}]}\n`;
const deployment = (namespace: string) =>
  `${object('apps/v1', 'Deployment', `{name: mine, namespace: ${namespace}}`)}spec:
  selector: {matchLabels: {app: mine}}
  template:
    metadata: {labels: {app: mine}}
    spec:
      containers:
      - name: webhook
        image: mine
        args: [--tls-cert-file=/certs/tls.crt]
        ports: [{containerPort: 8443}]
        readinessProbe: {tcpSocket: {port: 8443}}
        volumeMounts: [{name: certs, mountPath: /certs}]
      volumes: [{name: certs, secret: {secretName: mine-tls}}]
`;
const file = (...parts: readonly string[]) => fileWith(parts.join('---\n'), 'set.yaml');

describe('kubectl webhook lint --against', () => {
  let server: DemoApiServer;
  let kubeconfig = '';
  let snapshot = '';
  before(async () => {
    const parts = scenarios.flatMap((one) => (one.slug === 'crash-loop' ? one.parts : []));
    server = await startApiServer(clusterContent(parts, new Date()));
    kubeconfig = fileWith(server.kubeconfig());
    const saved = await plugin(['snapshot', '-', '--probe', 'none', '--kubeconfig', kubeconfig]);
    snapshot = fileWith(saved.stdout, 'snapshot.json');
  });
  after(() => server.stop());

  async function told(path: string, ...args: readonly string[]) {
    const { code, stdout, stderr } = await inProcess(['lint', '-f', path, '-o', 'json', ...args]);
    expect(stdout, stderr).to.not.equal('');
    const report = JSON.parse(stdout) as LintReport;
    expect(lintSchemaErrors(report)).to.deep.equal([]);
    return { code, report, checks: report.findings.map(({ check, line }) => `${check}:${line}`) };
  }
  const there = (path: string) => told(path, '--against', '--kubeconfig', kubeconfig);

  const missing = configuration(
    'mine',
    hook('a', 'payments', 'nobody', 'tenants'),
    hook('b', 'payments', 'payments-policy', 'tenants'),
  );
  const set = file(
    missing,
    definition,
    object('v1', 'ConfigMap', '{name: c, namespace: payments}'),
    object('shop.example.com/v1', 'Cart', '{name: c, namespace: payments}'),
    object('v1', 'Secret', '{name: d, namespace: nowhere}'),
  );

  it('finds what the cluster has, and what it refuses', async () => {
    const { code, report, checks } = await there(set);
    expect(checks).to.deep.equal([
      'service-missing:9',
      'replica-crash-looping:15',
      'no-ready-endpoint:15',
      'refused-by-api-server:36',
      'refused-by-api-server:40',
      'refused-by-api-server:46',
    ]);
    const messages = report.findings.slice(3).map(({ message }) => message);
    expect(messages).to.deep.equal([
      'webhook payments-policy.example.com of payments-policy intercepts it, and its next call fails',
      'the cluster serves no Cart of shop.example.com/v1',
      'namespaces "nowhere" not found',
    ]);
    expect(report.findings[3]?.evidence[0]?.value).to.contain('connection refused');
    expect(report.cluster).to.deep.include({ context: 'demo', version: 'v1.35.4' });
    expect(report.summary.callouts).to.equal(2);
    expect(code).to.equal(1);
  });

  it('reports a missing Namespace once, and no consequence of it', async () => {
    const inNew = file(
      configuration('mine', hook('a', 'new', 'mine', 'tenants')),
      service('new'),
      deployment('new'),
      definition,
    );
    const { report, checks, code } = await there(inNew);
    expect(checks).to.have.length(1);
    const [finding] = report.findings;
    expect(finding?.message).to.equal(
      'namespaces "new" not found, and 1 more object of these manifests needs it',
    );
    expect(finding?.advice).to.equal('Create the Namespace first: `kubectl create namespace new`.');
    expect(code).to.equal(1);
  });

  it('reports the same for a snapshot', async () => {
    const live = await plugin(['lint', '-f', set, '--against', '--kubeconfig', kubeconfig]);
    expect(await inProcess(['lint', '-f', set, '--from-snapshot', snapshot])).to.deep.equal(live);
    const { checks } = await told(set, '--from-snapshot', snapshot);
    expect(checks).to.include('service-missing:9');
  });

  it('concludes nothing without a cluster', async () => expect((await told(set)).checks).to.deep.equal([]));

  it('finds nothing in a set that contains what it needs', async () => {
    const whole = file(
      object('v1', 'Namespace', '{name: mine}'),
      configuration('mine', hook('a', 'mine', 'mine', 'tenants')),
      service('mine'),
      deployment('mine'),
      definition,
      object('example.com/v1', 'Tenant', '{name: t, namespace: mine}'),
    );
    const { code, checks } = await there(whole);
    expect(checks).to.deep.equal([]);
    expect(code).to.equal(0);
  });

  it('reads the same facts as doctor for a named backend', async () => {
    const requests = async (...args: readonly string[]) =>
      (await inProcess([...args, '-v', '6', '--kubeconfig', kubeconfig])).stderr
        .split('\n')
        .flatMap((line) => /^[A-Z]+ \S+/.exec(line)?.[0] ?? [])
        .sort();
    const doctor = await requests('doctor', 'payments-policy', '--probe', 'none');
    const own = await requests('lint', '-f', set, '--against');
    expect(own.filter((one) => !doctor.includes(one))).to.deep.equal([]);
    expect(own).to.have.length.greaterThan(9);
  });

  it('treats what the manifests change as unknown, and keeps what others write', async () => {
    const replaced = configuration(
      'payments-policy',
      hook('payments-policy', 'payments', 'payments-policy', 'tenants'),
    );
    // The caBundle of the cluster is kept; without it this would be reported.
    const kept = await told(file(replaced), '--against', '--kubeconfig', kubeconfig, '--severity', 'info');
    expect(kept.checks.filter((one) => one.startsWith('ca-bundle'))).to.deep.equal([]);
    // Its Deployment is in the manifests: whether the new Pods crash is unknown.
    const policy = deployment('payments').replaceAll('mine', 'payments-policy');
    const { checks } = await there(file(replaced, policy));
    expect(checks).to.deep.equal([]);
  });

  it('ends with 3 if a fact of the cluster could not be read', async () => {
    const whole = file(object('v1', 'ConfigMap', '{name: c, namespace: other}'));
    const partial = JSON.parse(
      (await inProcess(['snapshot', '-', '--probe', 'none', '--kubeconfig', kubeconfig])).stdout,
    );
    partial.notLookedAt = [{ what: 'services', why: 'forbidden' }];
    partial.facts.namespaces.entries.other = { metadata: { name: 'other' } };
    partial.facts.callouts = [];
    const { code, report } = await told(
      whole,
      '--from-snapshot',
      fileWith(JSON.stringify(partial), 's.json'),
    );
    expect(report.notLookedAt).to.have.length(1);
    expect(code).to.equal(3);
  });

  it('refuses cluster flags without --against', async () => {
    const { code, stderr } = await inProcess(['lint', '-f', set, '--context', 'prod']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('--against is required for --context prod');
  });
});

describe('kubectl webhook lint, with a Secret in the set', function () {
  this.timeout(300_000);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  it('compares its certificate with the caBundle', async () => {
    const [ca, other] = await Promise.all([authority({ cn: 'ca' }), authority({ cn: 'other' })]);
    const cases = [
      [await issue(ca, { dns: ['mine.shop.svc'] }), []],
      [await issue(other, { dns: ['mine.shop.svc'] }), ['stale-ca-bundle']],
      [await issue(ca, { dns: ['mine.other.svc'] }), ['serving-certificate-name-mismatch']],
      [
        await issue(ca, { dns: ['mine.shop.svc'], notBefore: new Date('2020-01-01'), days: 3 }),
        ['serving-certificate-expired'],
      ],
    ] as const;
    for (const [{ cert, key }, expected] of cases)
      for (const secret of [
        `data: {tls.crt: ${base64(cert)}, tls.key: ${base64(key)}}\n`,
        `stringData: {tls.crt: ${JSON.stringify(cert)}, tls.key: ${JSON.stringify(key)}}\n`,
      ]) {
        const set = file(
          configuration('mine', hook('a', 'shop', 'mine', 'tenants', `caBundle: ${base64(ca.cert)}, `)),
          service('shop'),
          deployment('shop'),
          `${object('v1', 'Secret', '{name: mine-tls, namespace: shop}')}type: kubernetes.io/tls\n${secret}`,
        );
        const { stdout } = await inProcess(['lint', '-f', set, '-o', 'json']);
        const { findings } = JSON.parse(stdout) as LintReport;
        expect(findings.map(({ check }) => check)).to.deep.equal(expected);
        expect(stdout).to.not.contain(key.slice(40, 90)).and.not.contain(base64(key).slice(40, 90));
        for (const { line } of findings) expect(line).to.equal(9);
      }
  });

  it('prints JUnit with a case for each object', async () => {
    const { code, stdout } = await inProcess([
      'lint',
      ...[
        '-f',
        file(
          configuration('mine', hook('a', 'shop', 'mine', 'tenants')).replace(
            'timeoutSeconds: 5',
            'timeoutSeconds: 50',
          ),
        ),
      ],
      ...['-o', 'junit'],
    ]);
    expect(code).to.equal(1);
    expect(stdout).to.match(/<testsuite name="kubectl webhook lint".* tests="\d" failures="1"/);
    expect(stdout).to.match(/<testcase classname=".*set\.yaml" name="ValidatingWebhookConfiguration mine"/);
    expect(stdout).to.contain('line 8: webhooks[0].timeoutSeconds: Invalid value: 50');
  });
});
