import { expect } from 'chai';
import { startBackend } from '../../src/demo/backend/backend.ts';
import type { DemoBackend } from '../../src/demo/backend/options.ts';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { address, configurationOf, endsIn, rule, sendDry, type Write, within } from './dry-writes.ts';

const ca = await authority({ cn: 'webhook-ca' });

describe('doctor on a real API server: registration', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  let kubeconfig: string;
  let home: string;
  let backend: DemoBackend;

  before(async () => {
    const cluster = await apiServer({ aggregatorRouting: true });
    ({ kubeconfig } = cluster);
    scene = await openScene(cluster.client);
    home = scene.namespace;
    backend = await startBackend({ certificate: await issue(ca, { ips: [address] }), bind: address });
    await scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old' } });
  });
  after(async () => {
    await scene?.leave();
    await backend?.close();
  });

  const ends = (write: Write, wanted: string) => endsIn(scene.client, write, wanted);
  const live = () => ({
    clientConfig: {
      url: `https://${address}:${backend.port}/check`,
      caBundle: Buffer.from(ca.cert).toString('base64'),
    },
    namespaceSelector: within(home),
  });

  async function doctor(...args: readonly string[]): Promise<DoctorReport> {
    const { stdout, stderr } = await plugin(['doctor', ...args, '--kubeconfig', kubeconfig, '-o', 'json']);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    return JSON.parse(stdout) as DoctorReport;
  }

  const all = () => `/api/v1/namespaces/${home}/configmaps`;
  const writes = (): Readonly<Record<'CREATE' | 'UPDATE' | 'DELETE', Write>> => ({
    CREATE: { does: 'a creation', method: 'POST', path: all(), body: { metadata: { name: 'new' } } },
    UPDATE: { does: 'an update', method: 'PATCH', path: `${all()}/old`, body: { data: { a: 'b' } } },
    DELETE: { does: 'a deletion', method: 'DELETE', path: `${all()}/old` },
  });

  // Whether the API server refuses each of the three, and doctor's result with and without probes.
  const conditions = [
    {
      name: 'a condition that errs for creations',
      operations: 'CREATE UPDATE DELETE',
      expression: 'oldObject.metadata.name != "x"',
      refused: ['CREATE'],
      because: 'no such key: metadata',
      state: 'degraded',
    },
    {
      name: 'the same where an update is nothing that could be asked for in its stead',
      operations: 'CREATE DELETE',
      expression: 'oldObject.metadata.name == "x"',
      refused: ['CREATE'],
      because: 'no such key: metadata',
      state: 'degraded',
    },
    {
      name: 'a condition that errs for deletions',
      operations: 'CREATE UPDATE DELETE',
      expression: 'object.metadata.name != "x"',
      refused: ['DELETE'],
      because: 'no such key: metadata',
      state: 'degraded',
    },
    {
      name: 'a condition that errs for all',
      operations: 'CREATE UPDATE DELETE',
      expression: 'namespaceObject.metadata.name != "x"',
      refused: ['CREATE', 'UPDATE', 'DELETE'],
      because: 'no such key: metadata',
      state: 'failing',
    },
    {
      name: 'a condition on a field that the kind does not have',
      operations: 'CREATE UPDATE',
      expression: 'object.spec.replicas > 1',
      refused: ['CREATE', 'UPDATE'],
      because: 'no such key: spec',
      state: 'failing',
    },
    {
      name: 'a condition that errs for no request that could be made',
      operations: 'UPDATE DELETE',
      expression: 'oldObject.metadata.name != "x"',
      refused: [],
      because: '',
      state: 'healthy',
    },
  ] as const;
  for (const { name, operations, expression, refused, because, state } of conditions) {
    it(`${name}: ${state}`, async () => {
      const configuration = configurationOf(`condition-${home}`, {
        ...live(),
        rules: [rule('core', operations, 'configmaps')],
        matchConditions: [{ name: 'a', expression }],
      });
      const words = (object: string) =>
        `configmaps "${object}" is forbidden: expression '${expression}' resulted in error: ${because}`;
      await scene.create(configuration);
      for (const [operation, write] of Object.entries(writes())) {
        const isRefused = (refused as readonly string[]).includes(operation);
        await ends(write, isRefused ? words(operation === 'CREATE' ? 'new' : 'old') : 'passes');
      }
      const probes = ['none', 'review'] as const;
      const reports = await Promise.all(probes.map((probe) => doctor(`condition-${home}`, '--probe', probe)));
      for (const [at, { callouts, findings }] of reports.entries()) {
        const probe = probes[at];
        const [said] = callouts;
        expect(said?.verdict.state, probe).to.equal(state);
        if (state === 'healthy') continue;
        expect(said?.verdict, probe).to.deep.include({
          link: 'registration',
          because: ['match-condition-broken'],
          effect: 'blocks',
        });
        expect(said?.verdict.error).to.match(/^configmaps "[^"]*" is forbidden: /);
        expect(said?.verdict.error).to.include(words('').replace(/^.* is forbidden: /, ''));
        const broken = findings.filter(({ check }) => check === 'match-condition-broken');
        const [told] = broken;
        expect(broken.length).to.equal(1);
        if (state === 'degraded') expect(told?.message).to.include(`for ${refused[0]} configmaps: these`);
      }
      await scene.client.delete(configuration);
      await ends({ ...writes().CREATE, does: 'a creation without it' }, 'passes');
    });
  }

  it('a condition on a field that the kind does not have, and a policy that rejects dry runs: failing', async () => {
    const named = (kind: string, spec: object): KubeObject => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: `policy-${home}` },
      spec,
    });
    const rules = [rule('core', 'CREATE', 'configmaps')];
    const matchResources = { namespaceSelector: within(home) };
    const probe = 'kubectl-webhook-probe';
    const policy = named('ValidatingAdmissionPolicy', {
      matchConstraints: { resourceRules: rules },
      validations: [{ expression: `object.metadata.name != "${probe}"`, message: 'not here' }],
    });
    const binding = named('ValidatingAdmissionPolicyBinding', {
      policyName: `policy-${home}`,
      validationActions: ['Deny'],
      matchResources,
    });
    await scene.create(policy);
    await scene.create(binding);
    const { CREATE } = writes();
    const probed = {
      ...CREATE,
      does: 'a creation under the name of ours',
      body: { metadata: { name: probe } },
    };
    const denied = `configmaps "${probe}" is forbidden: ValidatingAdmissionPolicy 'policy-${home}' with binding 'policy-${home}' denied request: not here`;
    await ends(probed, denied);
    const expression = 'object.spec.replicas > 1';
    const configuration = configurationOf(`policed-${home}`, {
      ...live(),
      rules,
      matchConditions: [{ name: 'a', expression }],
    });
    await scene.create(configuration);
    const words = `is forbidden: expression '${expression}' resulted in error: no such key: spec`;
    await ends(CREATE, `configmaps "new" ${words}`);
    await ends(probed, denied);
    const { callouts } = await doctor(`policed-${home}`, '--probe', 'review');
    expect(callouts[0]?.verdict).to.deep.include({
      state: 'failing',
      link: 'registration',
      because: ['match-condition-broken'],
    });
    expect(callouts[0]?.verdict.error).to.include(words);
    for (const one of [configuration, binding, policy]) await scene.client.delete(one);
    await ends({ ...CREATE, does: 'a creation without it' }, 'passes');
    await ends({ ...probed, does: 'the same without the policy' }, 'passes');
  });

  it('a condition on a label that only some objects have: degraded', async () => {
    const expression = 'object.metadata.labels["team"] == "a"';
    const configuration = configurationOf(`label-${home}`, {
      ...live(),
      rules: [rule('core', 'CREATE', 'configmaps')],
      matchConditions: [{ name: 'a', expression }],
    });
    const words = (object: string) =>
      `configmaps "${object}" is forbidden: expression '${expression}' resulted in error: no such key: labels`;
    const { CREATE } = writes();
    const labelled = { metadata: { name: 'new', labels: { team: 'a' } } };
    await scene.create(configuration);
    await ends(CREATE, words('new'));
    await ends({ ...CREATE, does: 'a creation with the label', body: labelled }, 'passes');
    const { callouts, findings } = await doctor(`label-${home}`, '--probe', 'review');
    expect(callouts[0]?.verdict).to.deep.include({
      state: 'degraded',
      link: 'registration',
      because: ['match-condition-broken'],
      effect: 'blocks',
      error: words('kubectl-webhook-probe'),
    });
    const told = findings.filter(({ check }) => check === 'match-condition-broken');
    expect(told.map(({ message }) => message).join()).to.include(
      'for CREATE configmaps of a test object: these',
    );
    await scene.client.delete(configuration);
    await ends({ ...CREATE, does: 'a creation without it' }, 'passes');
  });

  it('one name in two configurations: one series of metrics, one error, and no second in one configuration', async () => {
    const name = 'shared.example.com';
    const rules = [rule('core', 'CREATE', 'configmaps')];
    const [one, other] = ['one', 'other'].map((which) =>
      configurationOf(`${which}-${home}`, { ...live(), name, rules }),
    );
    if (one === undefined || other === undefined) throw new Error('none');
    const twice = { ...one, webhooks: [...one.webhooks, ...one.webhooks] };
    const refusal = await scene.create(twice, { dryRun: true }).then(
      () => 'created',
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/webhooks\[1\]\.name: Duplicate value: "shared\.example\.com"/);
    const sameNames = async (...configurations: readonly string[]): Promise<readonly FindingReport[]> =>
      (await doctor(...configurations, '--probe', 'none')).findings.filter(
        ({ check }) => check === 'duplicate-webhook-name',
      );
    const calls = async (): Promise<readonly number[]> =>
      [
        ...(await scene.client.text('/metrics')).matchAll(
          /^apiserver_admission_webhook_request_total\{[^}]*name="shared\.example\.com"[^}]*\} (\d+)$/gm,
        ),
      ].map(([, count]) => Number(count));

    await scene.create(one);
    const asked = async (): Promise<number> => {
      const before = (await calls())[0] ?? 0;
      expect(await sendDry(scene.client, writes().CREATE)).to.equal('passes');
      return ((await calls())[0] ?? 0) - before;
    };
    await ends(writes().CREATE, 'passes');
    await waitFor('one call for a request', async () => (await asked()) === 1);
    expect(await sameNames(`one-${home}`)).to.deep.equal([]);
    await scene.create(other);
    await waitFor('two calls for a request', async () => (await asked()) === 2);
    expect((await calls()).length).to.equal(1);
    const [told] = await sameNames(`one-${home}`);
    expect(told).to.include({ severity: 'warning' });
    expect(told?.message).to.include(`is also in configuration other-${home}: metrics and denials`);
  });
});

describe('doctor on a real API server without an admission plugin for webhooks', () => {
  needs('api-server');
  const disabled = 'ValidatingAdmissionWebhook';

  it('reports that no webhook of this kind is called, which requests prove', async () => {
    // The second one adds to the first.
    const flags = [disabled, 'DefaultStorageClass'].map((name) => `--disable-admission-plugins=${name}`);
    const { client, kubeconfig } = await apiServer({ arguments: flags });
    const scene = await openScene(client);
    const webhooks = [
      {
        name: 'policy.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/check' },
        rules: [rule('core', 'CREATE', 'configmaps')],
        namespaceSelector: within(scene.namespace),
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ];
    const configuration = (kind: string): KubeObject => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: 'policy' },
      webhooks,
    });
    const create = (name: string) =>
      client
        .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: scene.namespace } })
        .then(
          () => 'created',
          (error: Error) => error.message,
        );
    try {
      await scene.create(configuration('ValidatingWebhookConfiguration'));
      expect(await create('unchecked')).to.equal('created');
      const args = ['doctor', 'policy', '--kubeconfig', kubeconfig, '-o', 'json'];
      const { stdout } = await plugin(args);
      const { callouts, findings, unchecked } = JSON.parse(stdout) as DoctorReport;
      // Not soon: the passing dry run shows no open connection. And failing open would change nothing.
      expect(unchecked.map(({ notYet }) => notYet)).to.deep.equal([undefined]);
      const found = findings.find(({ check }) => check === 'admission-plugin-disabled');
      expect(found?.remedies).to.deep.equal([]);
      expect(found, stdout).to.include({ severity: 'error', confidence: 'observed' });
      expect(found?.message).to.include(disabled);
      expect(callouts[0]?.verdict).to.include({ state: 'failing', effect: 'fails-open' });
      // The other plugin runs.
      await scene.create(configuration('MutatingWebhookConfiguration'));
      await waitFor('a refusal', async () => (await create('checked')).includes('failed calling webhook'));
      const both = JSON.parse((await plugin([...args, '--probe', 'none'])).stdout) as DoctorReport;
      const kinds = both.findings
        .filter(({ check }) => check === 'admission-plugin-disabled')
        .map(({ subject }) => subject.kind);
      expect(kinds).to.deep.equal(['ValidatingWebhookConfiguration']);
    } finally {
      await scene.leave();
    }
  });
});
