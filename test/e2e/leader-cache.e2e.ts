import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import {
  backendObjects,
  tryConfigMap,
  validatingWebhook,
  waitForEndpoints,
} from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { leaderCacheArchive, leaderCacheImage } from '../cluster/image.ts';
import { importImage } from '../cluster/node.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

const ca = await authority({ cn: 'webhook-ca' });
const name = 'tenants';
const without = ['--samples', 'none'] as const;
const rbac = 'rbac.authorization.k8s.io';

/** The variants of the defect. */
interface Form {
  /** The webhook refuses objects without a tenant. */
  readonly strict: boolean;
  /** The ServiceAccount may write Leases, and read ConfigMaps. */
  readonly leases?: boolean;
  readonly configMaps?: boolean;
  /** A deleted Pod holds the Lease. */
  readonly gone?: boolean;
}

const tenantObject = (object: string, tenant = 'payments'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: object, labels: { 'example.com/tenant': tenant } },
});

describe('doctor and a controller-runtime program whose cache only the leader fills', () => {
  needs('node', 'own-node');
  const scene = useScene(nodeCluster);

  before(async function () {
    this.timeout(600_000);
    const { folder } = await nodeCluster();
    if (folder === undefined) throw new Error('the node is not ours');
    await importImage(folder, await leaderCacheArchive());
  });

  const lease = () =>
    ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: scene.namespace },
    }) as const;

  /** Two replicas of the program, and the tenant "payments". */
  async function start({ strict, leases = true, configMaps = true, gone = false }: Form): Promise<void> {
    const { namespace } = scene;
    const rule = (group: string, resource: string, ...verbs: string[]) => ({
      apiGroups: [group],
      resources: [resource],
      verbs,
    });
    await scene.create({
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name },
      rules: [
        rule('', 'events', 'create', 'patch'),
        rule('events.k8s.io', 'events', 'create', 'patch'),
        ...(leases ? [rule('coordination.k8s.io', 'leases', 'get', 'create', 'update')] : []),
        ...(configMaps ? [rule('', 'configmaps', 'get', 'list', 'watch')] : []),
      ],
    });
    await scene.create({
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    });
    await scene.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'payments', labels: { 'example.com/tenant-record': 'true' } },
    });
    if (gone) {
      const since = new Date(Date.now() - 120_000).toISOString().replace('Z', '000Z');
      await scene.create({
        ...lease(),
        spec: {
          holderIdentity: `${name}-5d4f8c7b9-x2x4k_0a1b2c3d`,
          leaseDurationSeconds: 3600,
          acquireTime: since,
          renewTime: since,
        },
      });
    }
    const args = [`--watch=${namespace}`, `--lease=${name}`, ...(strict ? ['--strict'] : [])];
    const readinessProbe = { httpGet: { port: 8081, path: '/readyz' }, periodSeconds: 1 };
    const container = { image: leaderCacheImage, args, readinessProbe };
    for (const object of await backendObjects(namespace, { name, ca, container })) await scene.create(object);
    await waitForEndpoints(scene, name, 2);
  }

  const leads = () =>
    waitFor('a leader', async () => {
      const found = await scene.client.get(lease());
      return ((found?.spec?.holderIdentity as string | undefined) ?? '') !== '';
    });

  /** The webhook for the namespace's ConfigMaps; returns when the API server calls it. */
  async function guard(): Promise<string> {
    const webhook = validatingWebhook(scene.namespace, { service: name, caBundle: ca.cert });
    await scene.create(webhook);
    await waitFor('the webhook to be called', async () => {
      const said = await tryConfigMap(scene);
      return (
        said !== 'created' ||
        (await scene.create(tenantObject('nobody', 'nobody'), { dryRun: true }).then(
          () => false,
          () => true,
        ))
      );
    });
    return webhook.metadata.name ?? '';
  }

  interface Says {
    readonly report: DoctorReport;
    readonly callout: CalloutReport;
    readonly found: (check: string) => string;
    readonly code: number | null;
  }

  async function doctor(callout: string, ...more: readonly string[]): Promise<Says> {
    const { stdout, stderr, code } = await plugin([
      'doctor',
      ...more,
      '-o',
      'json',
      '--kubeconfig',
      scene.kubeconfig,
    ]);
    if (stdout === '') throw new Error(`doctor printed nothing: ${stderr}`);
    const report = JSON.parse(stdout) as DoctorReport;
    const one = report.callouts.find(({ configuration }) => configuration === callout);
    if (one === undefined) throw new Error(`doctor does not know ${callout}`);
    const found = (check: string): string => {
      const finding = report.findings.find((each) => each.check === check);
      expect(finding, `${check} in ${JSON.stringify(report, null, 1)}`).to.not.equal(undefined);
      return [finding?.message, ...(finding?.evidence ?? []).map(({ value }) => value)].join('\n');
    };
    return { report, callout: one, found, code };
  }

  function fileOf(object: KubeObject): string {
    const file = join(tmpdir(), `leader-cache-${scene.namespace}.json`);
    const metadata = { ...object.metadata, namespace: scene.namespace };
    writeFileSync(file, JSON.stringify({ ...object, metadata }));
    return file;
  }

  it('names followers that deny, for a stored object and for a given one', async () => {
    await start({ strict: true });
    await leads();
    await scene.create(tenantObject('cart'));
    const webhook = await guard();
    const given = await doctor(webhook, webhook, ...without, '-f', fileOf(tenantObject('basket')));
    expect(given.found('leader-gated-answer')).to.include('tenant "payments" is not known');
    const answers = given.callout.replicas.flatMap((replica) => replica.answers ?? []);
    expect(answers.map(({ outcome }) => outcome)).to.have.members(['denied', 'denied', 'denied', 'allowed']);
    const plain = await doctor(webhook);
    expect(plain.found('leader-gated-answer')).to.match(/Lease case-\w+\/tenants/);
    expect(plain.callout.verdict).to.deep.include({ state: 'degraded', link: 'replica' });
    expect(plain.callout.verdict.because[0]).to.equal('leader-gated-answer');
  });

  it('names followers that deny only what needs the cache', async () => {
    await start({ strict: false });
    await leads();
    await scene.create(tenantObject('cart'));
    const webhook = await guard();
    const risk = await doctor(webhook, webhook, ...without);
    expect(risk.found('webhook-beside-leader-election')).to.include('-f');
    const given = await doctor(webhook, webhook, ...without, '-f', fileOf(tenantObject('basket')));
    expect(given.found('leader-gated-answer')).to.include('tenant "payments" is not known');
    const named = await doctor(webhook, webhook);
    expect(named.found('leader-gated-answer')).to.include('ConfigMap');
  });

  it('names a Lease that the ServiceAccount may not write', async () => {
    await start({ strict: true, leases: false });
    const webhook = await guard();
    const { found } = await doctor(webhook);
    expect(found('service-account-lacks-rights')).to.match(/cannot \w+ leases/);
  });

  it('names a Lease whose holder no longer exists', async () => {
    await start({ strict: true, gone: true });
    const webhook = await guard();
    const { found } = await doctor(webhook);
    expect(found('leader-lease-stale')).to.match(/(holder|held by) tenants-5d4f8c7b9-x2x4k/);
  });

  it('names a cache that the ServiceAccount may not fill', async () => {
    await start({ strict: true, configMaps: false });
    await leads();
    const webhook = await guard();
    const { found } = await doctor(webhook);
    expect(found('service-account-lacks-rights')).to.match(/cannot \w+ configmaps[\s\S]*is forbidden/);
  });
});
