import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import { apiServiceOf } from '../cluster/api-service.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { type HoldingWebhook, nobody, startHoldingWebhook } from './holding-webhook.ts';
import { furnishRivals, gate, rivalOf } from './rival-holders.ts';

/** Never pulled and never run: these Pods are only created. */
const container = (over: object = {}) => ({ name: 'main', image: 'none', imagePullPolicy: 'Never', ...over });
const labels = (app: string) => ({ selector: { matchLabels: { app } }, labels: { app } });
const template = (app: string, over: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [container()], ...over },
});
const deployment = (name: string, namespace: string, over: object = {}, replicas = 1): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: { replicas, selector: labels(name).selector, template: template(name, over) },
});
const job = (name: string, namespace: string): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: { parallelism: 2, completions: 5, template: template(name, { restartPolicy: 'Never' }) },
});
const statefulSet = (name: string, namespace: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name, namespace },
  spec: { replicas: 2, serviceName: name, selector: labels(name).selector, template: template(name) },
});
const readsConfigMap = (name: string) => ({
  containers: [container({ envFrom: [{ configMapRef: { name } }] })],
});

describe('effects on a real cluster', () => {
  needs('node');
  let scene: Scene;
  let kubeconfig = '';
  let webhook: HoldingWebhook;
  let [blocked, park, stuck, calm, rivals] = ['', '', '', '', ''];
  let ca: Authority;
  let api = '';
  const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-effects-'));

  const run = (...args: readonly string[]) =>
    plugin([...args, '--kubeconfig', kubeconfig], { XDG_STATE_HOME: state });
  async function doctor(
    ...args: readonly string[]
  ): Promise<DoctorReport & { readonly code: number | null }> {
    const { stdout, stderr, code } = await run('doctor', '--probe', 'none', '-o', 'json', ...args);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    return { ...(JSON.parse(stdout) as DoctorReport), code };
  }
  const of = (check: string, { findings }: DoctorReport): readonly FindingReport[] =>
    findings.filter((finding) => finding.check === check);
  const parkedEnds = async (...args: readonly string[]): Promise<readonly string[]> =>
    of('pods-parked', await doctor(`park-${park}`, ...args))
      .map(({ message }) => message)
      .filter((message) => message.includes(park))
      .sort();

  before(async function () {
    this.timeout(120_000);
    const cluster = await nodeCluster();
    kubeconfig = cluster.kubeconfig;
    scene = await openScene(cluster.client);
    blocked = scene.namespace;
    [park, stuck, calm, rivals] = [
      `${blocked}-park`,
      `${blocked}-stuck`,
      `${blocked}-calm`,
      `${blocked}-rivals`,
    ];
    api = `v1.${blocked}.example.com`;
    for (const name of [park, stuck, calm]) {
      await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    ca = await authority({ cn: 'parking-ca' });
    await furnishRivals(scene, rivals, ca);
    webhook = await startHoldingWebhook(await issue(ca, { dns: [`parker.${park}.svc`] }));
    await scene.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'parker', namespace: park },
      spec: { ports: [{ name: 'https', port: 443, targetPort: webhook.port }] },
    });
    await scene.create({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'parker-1', namespace: park, labels: { 'kubernetes.io/service-name': 'parker' } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: webhook.port, protocol: 'TCP' }],
      endpoints: [{ addresses: ['192.0.2.10'], conditions: { ready: true } }],
    } as KubeObject);
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: `park-${park}` },
      webhooks: [
        {
          name: 'deployments.park.example.com',
          clientConfig: {
            service: { namespace: park, name: 'parker', path: '/mutate' },
            caBundle: Buffer.from(ca.cert).toString('base64'),
          },
          rules: [
            {
              apiGroups: ['apps'],
              apiVersions: ['v1'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['deployments'],
            },
          ],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': park } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Ignore',
          timeoutSeconds: 5,
        },
      ],
    });
    await scene.create(
      validatingWebhook(blocked, {
        service: 'gone',
        caBundle: ca.cert,
        webhook: {
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
      }),
    );
    await scene.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there', namespace: park } });
    await waitFor('the refusal of Pods', () =>
      scene
        .create(
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { generateName: 'trial-', namespace: blocked },
            spec: { containers: [container()] },
          },
          { dryRun: true },
        )
        .then(
          () => false,
          ({ message }: Error) => message.includes('gone.example.com'),
        ),
    );
    await waitFor('the webhook to park', async () => {
      const seen = await scene.create(deployment('trial', park), { dryRun: true });
      return seen.spec?.template.spec.schedulerName === nobody;
    });
    for (const object of [
      deployment('waits', park, readsConfigMap('settings')),
      deployment('held', park, readsConfigMap('there')),
      deployment('released', park, readsConfigMap('there')),
      deployment('cart', blocked, {}, 3),
      job('import', blocked),
      statefulSet('db', blocked),
      deployment('fine', calm),
    ]) {
      await scene.create(object);
    }
    await scene.create(
      apiServiceOf(`${blocked}.example.com`, {
        insecureSkipTLSVerify: true,
        service: { namespace: park, name: 'nothing' },
      }),
    );
    await scene.client.delete({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: stuck } });
  });

  after(async function () {
    this.timeout(60_000);
    webhook?.close();
    await scene?.leave();
  });

  it('counts the Pods that three controllers could not create, with the error of their events', async function () {
    this.timeout(90_000);
    await waitFor(
      'three events',
      async () => {
        const events = await scene.client.list('v1', 'Event', blocked);
        const kinds = events
          .filter(({ reason }) => reason === 'FailedCreate')
          .map((one) => one.involvedObject.kind);
        return new Set(kinds).size === 3;
      },
      { timeout: 60_000 },
    );
    const report = await doctor(`gone-${blocked}`);
    const [finding] = of('workload-creation-blocked', report);
    expect(finding?.message, JSON.stringify(report.findings)).to.match(
      new RegExp(
        `^7 Pods of Deployment ${blocked}/cart, (Job ${blocked}/import and StatefulSet ${blocked}/db|StatefulSet ${blocked}/db and Job ${blocked}/import) cannot be created, since 20`,
      ),
    );
    expect(finding).to.include({ severity: 'error', confidence: 'observed', causedBy: 'service-missing' });
    const { impact } = report.callouts[0] ?? {};
    expect(impact?.blocked?.map(({ object, missing }) => `${object} ${missing}`).sort()).to.deep.equal([
      `Deployment ${blocked}/cart 3`,
      `Job ${blocked}/import 2`,
      `StatefulSet ${blocked}/db 2`,
    ]);
    expect(impact?.stops).to.deep.equal([{ what: 'new Pods', request: 'CREATE pods', which: 'all' }]);
    expect(impact?.namespaces.covered).to.equal(1);
  });

  it('finds them without --from, if the webhook fails', async () => {
    const found = of('workload-creation-blocked', await doctor());
    expect(found.map(({ callout }) => callout)).to.deep.equal([
      `validating/gone-${blocked}/gone.example.com`,
    ]);
  });

  it('leads from each object to the webhook that its messages name', async function () {
    this.timeout(60_000);
    const victims = ['deployment/cart', 'job/import', 'sts/db'];
    const reports = await Promise.all(victims.map((victim) => doctor('--from', victim, '-n', blocked)));
    for (const { from, callouts, code } of reports) {
      expect(from).to.deep.include({
        by: 'words',
        inTheWay: [`validating/gone-${blocked}/gone.example.com`],
      });
      expect(callouts).to.have.length(1);
      expect(code).to.equal(1);
    }
    expect(reports.map(({ from }) => from?.missingPods)).to.deep.equal([3, 2, 2]);
  });

  it('reports for a workload without problems that no webhook blocks it, and for a missing one that it does not exist', async () => {
    const { from, callouts, code } = await doctor('--from', 'deployment/fine', '-n', calm);
    expect(from?.inTheWay).to.deep.equal([]);
    // Webhooks of other cases may not select its Pods.
    expect(from?.message.split('; ')[0]).to.equal(
      `No webhook blocks Deployment ${calm}/fine: none matches its requests`,
    );
    expect(callouts).to.deep.equal([]);
    expect(code).to.equal(0);
    const { from: other } = await doctor('--from', 'serviceaccount/default', '-n', calm);
    expect(other?.inTheWay).to.deep.equal([]);
    const missing = await run('doctor', '--from', 'deployment/absent', '-n', calm);
    expect(missing.code).to.equal(2);
    expect(missing.stderr).to.contain(`there is no Deployment "absent" in namespace ${calm}`);
    expect((await run('doctor', '--from', 'secret/x')).code).to.equal(2);
  });

  it('finds the APIService that blocks a namespace, from both sides', async function () {
    this.timeout(90_000);
    await waitFor(
      'the condition of the namespace',
      async () => {
        const seen = await scene.client.get({
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name: stuck },
        });
        const conditions = (seen?.status?.conditions ?? []) as { readonly message?: string }[];
        return conditions.some(({ message }) => message?.includes(`${blocked}.example.com/v1`));
      },
      { timeout: 60_000 },
    );
    const [finding] = of('namespace-deletion-blocked', await doctor(`apiservice/${api}`));
    // Other deletions in the cluster are blocked by the same APIService.
    expect(finding?.message)
      .to.match(/^Deletion of namespaces? .* has been blocked since 20/)
      .and.contain(stuck);
    const { from } = await doctor('--from', `namespace/${stuck}`);
    expect(from).to.deep.include({ by: 'words', inTheWay: [`apiservice/${api}`] });
    await scene.client.delete({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: api },
    });
  });

  it('lists Pods that one of several webhooks may hold, but not those with a scheduler of their template', async function () {
    this.timeout(90_000);
    const named = [rivalOf('left', rivals), rivalOf('right', rivals)];
    const found = async () =>
      of('pods-parked', JSON.parse((await run('doctor', '-o', 'json', ...named)).stdout) as DoctorReport)
        .filter(({ message }) => message.includes(rivals))
        .map(({ callout, subject, message }) => [
          callout ?? `${subject.kind} ${subject.namespace}/${subject.name}`,
          message.replaceAll(`${rivals}`, 'NS'),
        ])
        .sort();
    const untold = '; unknown which webhook';
    const gated = (what: string) =>
      `1 Pod of ${what} waits (schedulingGates ${gate}), although all referenced objects exist${untold}`;
    const held = await waitFor(
      'held Pods',
      async () => {
        const seen = await found();
        return seen.length > 1 && seen;
      },
      { timeout: 60_000, interval: 2_000 },
    );
    expect(held).to.deep.equal([
      [`Deployment ${rivals}/gated`, gated('Deployment NS/gated')],
      [`Pod ${rivals}/alone`, gated('Pod NS/alone')],
    ]);
  });

  it('distinguishes the reasons of pending Pods, and restores the scheduler', async function () {
    this.timeout(120_000);
    // It changes the workloads: a retry would start in another state.
    this.retries(0);
    webhook.holds = false;
    await scene.client.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'released', namespace: park } },
      {
        metadata: { annotations: { 'park.example.com/scheduling-disabled': null } },
        spec: { template: { spec: { schedulerName: 'default-scheduler' } } },
      },
    );
    const how = `(schedulerName ${nobody}, which no scheduler serves)`;
    const all = `although all referenced objects exist`;
    const waits = `1 Pod of Deployment ${park}/waits waits ${how}; missing: ConfigMap ${park}/settings`;
    const leftOver = `1 Pod of Deployment ${park}/released waits ${how}, although the workload is released: they were created before`;
    const held = `1 Pod of Deployment ${park}/held waits ${how}, ${all}: no controller has released them`;
    const down = `1 Pod of Deployment ${park}/held waits ${how}, ${all}: the controller that releases them does not run`;
    await waitFor('three parked Pods', async () => (await parkedEnds()).length === 3, {
      timeout: 60_000,
      interval: 2_000,
    });
    expect(await parkedEnds()).to.deep.equal([held, leftOver, waits]);

    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'parker-1', namespace: park },
    };
    await scene.client.delete(slice);
    await waitFor('the end of the EndpointSlice', async () => (await scene.client.get(slice)) === undefined);
    expect(await parkedEnds()).to.deep.equal([down, leftOver, waits]);

    const target = `pods-parked:mutating/park-${park}/deployments.park.example.com`;
    const fixed = await run(
      'fix',
      target,
      '--remedy',
      'restore-scheduler',
      '--yes',
      '-o',
      'json',
      '--probe',
      'none',
      '--wait',
      '2s',
    );
    // Old Pods remain until new ones are Ready, which these never are: doctor does not confirm it yet.
    expect(fixed.code, fixed.stdout + fixed.stderr).to.be.oneOf([0, 1]);
    const restored = async (name: string) => {
      const seen = await scene.client.get({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace: park },
      });
      return [
        seen?.spec?.template.spec.schedulerName,
        seen?.metadata.annotations?.['park.example.com/scheduling-disabled'],
      ];
    };
    expect(await restored('held')).to.deep.equal(['default-scheduler', undefined]);
    expect(await restored('waits')).to.deep.equal(['default-scheduler', undefined]);
    await waitFor('a Pod on a node', async () => {
      const pods = await scene.client.list('v1', 'Pod', park, 'app=held');
      return pods.some(({ spec }) => spec?.nodeName !== undefined);
    });
    const undone = await run('undo', '--yes', '-o', 'json');
    expect(undone.code, undone.stdout + undone.stderr).to.equal(0);
    expect(await restored('held')).to.deep.equal([nobody, 'default-scheduler']);
  });
});
