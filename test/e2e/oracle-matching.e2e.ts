import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { minorVersion } from '../../src/apiserver/server-version.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { isAdmission } from '../../src/facts/callout.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { defaultVersion } from '../cluster/kubernetes.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { wantedVersion } from '../cluster/ways-in.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { plugin } from '../support/plugin.ts';
import { messageOfAnyRun, recordAnswers } from '../support/recordings.ts';
import {
  type Asked,
  apart,
  app,
  foretoldCalls,
  isServed,
  matchingConfiguration,
  methods,
  notServed,
  numbersOf,
  otherNamespace as other,
  pod,
  policySpec,
  questions,
  rule,
  template,
  widgets,
} from './matching-cases.ts';
import { factsOf } from './oracle-facts.ts';
import { asStored, foretoldDryRun, storedConfiguration, storedName } from './stored-cases.ts';

/** How often each webhook has failed open: the API server's own count of calls, by the webhook's name. */
async function counts(client: Client): Promise<ReadonlyMap<string, number>> {
  const lines = (await client.text('/metrics')).matchAll(
    /^apiserver_admission_webhook_fail_open_count\{name="(w\d+\.example\.com)",[^}]*\} (\S+)$/gm,
  );
  return new Map([...lines].map(([, name = '', count]) => [name, Number(count)]));
}

const mergePatch = 'application/merge-patch+json';

/** The response, and the webhooks that were called since `before`; no other client sends requests. */
async function calledFor(
  client: Client,
  { path, body, request, method, contentType }: Asked,
  before: ReadonlyMap<string, number>,
) {
  const verb = method ?? methods[request?.operation ?? ''] ?? '';
  const type = contentType ?? (verb === 'PATCH' ? mergePatch : undefined);
  const isDryRun = request !== undefined && request.operation !== 'CONNECT';
  const query = [isDryRun && 'dryRun=All', contentType && 'fieldManager=oracle'].filter(Boolean).join('&');
  const { status, body: text } = await client.request(verb, `${path}?${query}`, body, type);
  const after = await counts(client);
  const called = [...after].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
  return { called: called.toSorted(), status, text, after };
}

describe('which request reaches which webhook', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  let snapshot: Snapshot | undefined;
  let counted: ReadonlyMap<string, number> = new Map();
  countAgreement('matching', () => snapshot?.cluster.version);
  const answers = new Map<string, unknown>();

  before(async () => {
    const { client, kubeconfig } = await apiServer({});
    scene = await openScene(client);
    const old = { name: 'old', labels: app };
    await client.patch(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: scene.namespace } },
      { metadata: { labels: { team: 'a' } } },
    );
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    await scene.create(widgets);
    await scene.create(apart);
    await scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: old });
    const finalized = await scene.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'finalized', labels: app, finalizers: ['example.com/oracle'] },
    });
    await client.delete(finalized);
    await scene.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    await scene.create({ apiVersion: 'v1', kind: 'Pod', metadata: old, spec: pod.spec });
    await scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'old' },
      spec: template,
    });
    // 1.29 has it in v1beta1 only.
    if (Number(minorVersion(wantedVersion() ?? defaultVersion)) >= 30)
      await scene.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: old,
        spec: policySpec,
      });
    for (const one of [
      { apiVersion: 'matching.example.com/v1', kind: 'Widget', metadata: old },
      { apiVersion: 'apart.example.com/v1', kind: 'Namespace', metadata: { ...old, namespace: other } },
    ]) {
      await waitFor(one.apiVersion, () => scene.create(one));
    }
    await scene.create(matchingConfiguration);
    snapshot = await factsOf(kubeconfig);
    const [first] = questions(scene.namespace, other);
    await waitFor('the webhooks to be called', async () => {
      if (first === undefined) return false;
      const { called, after } = await calledFor(client, first, counted);
      counted = after;
      return called.length > 0;
    });
  });
  after(async () => {
    await scene?.leave();
    if (snapshot !== undefined && answers.size === questions('', '').length)
      recordMatching(snapshot, answers);
  });

  questions('NAMESPACE', other).forEach(({ name }, index) => {
    it(name, async () => {
      const asked = questions(scene.namespace, other)[index];
      if (asked === undefined || snapshot === undefined) throw new Error('no such question');
      const { request, fails } = asked;
      const { facts, cluster } = snapshot;
      const { called, status, text, after } = await calledFor(scene.client, asked, counted);
      counted = after;
      const refused = !fails && called.length === 0 && status >= 400;
      const isKnown = request === undefined || isServed(servedIn(snapshot), request);
      if (!isKnown) expect(status).to.equal(404);
      else if (fails) expect(status, text).to.be.at.least(400);
      else if (!refused) expect(status, text).to.be.below(300);
      const message = () => (isKnown ? String(JSON.parse(text).message) : notServed);
      const answer = refused ? message() : numbersOf(called);
      answers.set(name, messageOfAnyRun(answer.replaceAll(scene.namespace, 'NAMESPACE')));
      const callouts = facts.callouts.filter(isAdmission).filter((one) => one.configuration === 'oracle');
      if (isKnown)
        expect(answer).to.equal(
          request === undefined ? '' : foretoldCalls(callouts, request, facts, cluster.version ?? ''),
        );
    });
  });
});

const servedIn = ({ facts }: Snapshot) => facts.served.get('served')?.resources ?? [];

/** Records the responses, and the resources that matching may have skipped. */
function recordMatching(snapshot: Snapshot, answers: ReadonlyMap<string, unknown>): void {
  const asked = new Set(questions('', '').map(({ request }) => request?.resource));
  const served = servedIn(snapshot)
    .filter(({ resource }) => asked.has(resource.split('/')[0]))
    .map(({ group, version, resource }) => `${group}/${version} ${resource}`);
  recordAnswers(
    'matching',
    snapshot.cluster.version ?? '',
    new Map([...answers, ['served', served.toSorted()]]),
  );
}

/** Writes directly to etcd, by its JSON gateway at the port after the API server's. */
async function store(server: string, object: KubeObject): Promise<void> {
  const etcd = `http://127.0.0.1:${Number(new URL(server).port) + 1}`;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const key = base64(`/registry/${object.kind.toLowerCase()}s/${object.metadata.name}`);
  const body = JSON.stringify({ key, value: base64(JSON.stringify(object)) });
  const answer = await fetch(`${etcd}/v3/kv/put`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`);
}

describe('dry runs and webhooks of old API versions', function () {
  needs('api-server');
  this.timeout(60_000);
  let scene: Scene;
  let snapshot: Snapshot | undefined;
  countAgreement('stored', () => snapshot?.cluster.version);
  const answers = new Map<string, string>();

  const ask = async (index: number): Promise<string> => {
    const answer = await scene.client.request(
      'POST',
      `/api/v1/namespaces/${scene.namespace}/configmaps?dryRun=All`,
      { metadata: { name: 'new', labels: { case: `stored-${index}` } } },
    );
    return answer.status < 300 ? 'admitted' : `${answer.status} ${JSON.parse(answer.body).message}`;
  };

  before(async () => {
    const { client, kubeconfig } = await apiServer({});
    scene = await openScene(client);
    await Promise.all(asStored.map((one, index) => store(client.server, storedConfiguration(one, index))));
    snapshot = await factsOf(kubeconfig);
  });
  after(async () => {
    await scene?.leave();
    const { version } = snapshot?.cluster ?? {};
    if (version !== undefined && answers.size === asStored.length) recordAnswers('stored', version, answers);
  });

  asStored.forEach((asked, index) => {
    it(storedName(asked), async () => {
      if (snapshot === undefined) throw new Error('no server');
      const { facts, cluster } = snapshot;
      const callout = facts.callouts
        .filter(isAdmission)
        .find((one) => one.configuration === `stored-${index}`);
      if (callout === undefined) throw new Error('It was not read');
      const wanted = foretoldDryRun(callout, cluster.version);
      let said = '';
      await waitFor(
        wanted,
        async () => {
          said = await ask(index);
          return said === wanted;
        },
        { timeout: 10_000 },
      ).catch(() => undefined);
      answers.set(storedName(asked), said);
      expect(said).to.equal(wanted);
    });
  });

  it('doctor names the condition that does not compile, from the API server’s error', async () => {
    const { client, kubeconfig } = await apiServer({});
    const conditions = ['true', 'params.x == 1'];
    const [plain] = asStored;
    if (plain === undefined) throw new Error('nothing is stored');
    const over = { matchConditions: conditions.map((expression, at) => ({ name: `c${at}`, expression })) };
    const one = storedConfiguration({ ...plain, over }, asStored.length);
    await store(client.server, one);
    const words =
      '403 configmaps "new" is forbidden: compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to \'params\'';
    await waitFor(words, async () => (await ask(asStored.length)).startsWith(words));
    const name = one.metadata.name ?? '';
    const { stdout } = await plugin(['doctor', name, '--kubeconfig', kubeconfig, '-o', 'json']);
    const { callouts } = JSON.parse(stdout) as DoctorReport;
    expect(callouts[0]?.verdict).to.deep.include({
      state: 'failing',
      link: 'registration',
      because: ['match-condition-broken'],
    });
    expect(callouts[0]?.verdict.error).to.include(
      "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params'",
    );
    await client.delete(one);
  });

  it('doctor names those that refuse dry runs', async () => {
    const of = (wanted: string) =>
      asStored.flatMap(({ has }, index) => (has.startsWith(wanted) ? [`stored-${index}`] : []));
    const { kubeconfig } = await apiServer({});
    const { stdout } = await plugin([
      'doctor',
      '--check',
      'side-effects-refuse-dry-run',
      '--probe',
      'none',
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
    ]);
    const { findings } = JSON.parse(stdout) as DoctorReport;
    const told = findings.map(({ callout = '' }) => callout.split('/')[1]);
    expect(told).to.have.members([...of('side effects'), ...of('nothing said')]);
  });
});

const gate = (server: string): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'gate.static.k8s.io' },
  webhooks: [
    {
      name: 'gate.static.k8s.io',
      clientConfig: { url: server },
      rules: [rule(['configmaps'], [''], ['v1'], ['CREATE'])],
      objectSelector: { matchLabels: app },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

const gateFlag = (on: boolean) => `--feature-gates=ManifestBasedAdmissionControlConfig=${on}`;

// By default from 1.37 on.
if (Number(minorVersion(wantedVersion() ?? defaultVersion)) >= 36) {
  describe('a webhook from a manifest on the API server’s disk', function () {
    needs('api-server');
    this.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), 'oracle-static-'));
    after(() => rmSync(folder, { recursive: true, force: true }));

    const [manifests, config] = [join(folder, 'manifests'), join(folder, 'config.json')];
    before(() => {
      mkdirSync(manifests, { recursive: true });
      writeFileSync(join(manifests, 'gate.json'), JSON.stringify(gate('https://127.0.0.1:1/gate')));
      const version = 'apiserver.config.k8s.io/v1';
      const configuration = {
        apiVersion: version,
        kind: 'WebhookAdmissionConfiguration',
        staticManifestsDir: manifests,
      };
      const plugins = [{ name: 'ValidatingAdmissionWebhook', configuration }];
      writeFileSync(config, JSON.stringify({ apiVersion: version, kind: 'AdmissionConfiguration', plugins }));
    });

    it('is in errors and in no API; doctor --from reports that', async () => {
      const { client, kubeconfig } = await apiServer({
        arguments: [`--admission-control-config-file=${config}`, gateFlag(true)],
      });
      const scene = await openScene(client);
      const { namespace } = scene;
      const refused = await client.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { name: 'refused', labels: app },
      });
      const { message } = JSON.parse(refused.body) as { message: string };
      expect(message).to.match(/^Internal error occurred: failed calling webhook "gate\.static\.k8s\.io": /);
      // No controller runs here: its message about the API server's response.
      const cart = { name: 'cart', namespace };
      await scene.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: cart, spec: template });
      await scene.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'cart.1', namespace },
        involvedObject: { kind: 'Deployment', ...cart },
        type: 'Warning',
        reason: 'FailedCreate',
        message: `Error creating: ${message}`,
      });
      const from = ['--from', 'deployment/cart', '-n', namespace];
      const { stdout, code } = await plugin(['doctor', ...from, '--kubeconfig', kubeconfig, '-o', 'json']);
      const report = JSON.parse(stdout) as DoctorReport;
      expect(report.callouts).to.deep.equal([]);
      expect(report.from?.message).to.equal(
        `Webhook gate.static.k8s.io blocks Deployment ${namespace}/cart, according to its status or Events; it is in a static manifest on the disk of the API server; no API returns it`,
      );
      expect(report.notLookedAt.map(({ what }) => what)).to.deep.equal(['webhook gate.static.k8s.io']);
      expect(code).to.equal(3);
      await scene.leave();
    });

    it('does not exist without the feature gate: an API server with such a folder does not start', async () => {
      const flags = [`--admission-control-config-file=${config}`, gateFlag(false)];
      const end = await apiServer({ arguments: flags }).then(
        () => 'it started',
        (error: Error) => error.message,
      );
      expect(end).to.match(/staticManifestsDir/);
    });
  });
}
