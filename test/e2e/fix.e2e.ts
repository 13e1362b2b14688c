import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChangeReport } from '../../src/change/change-report.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { backendObjects, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { furnished, openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { type Authority, authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import {
  certificateDefinition,
  certificateOf,
  type FixCase,
  type FixObjects,
  fixCases,
  issuerDefinition,
} from './fix-cases.ts';
import { restorerDrill } from './restorer-drill.ts';

const only = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

/** The object without the fields that the API server maintains, to compare two states. */
function compared(object: KubeObject | undefined): unknown {
  if (object === undefined) return undefined;
  const {
    resourceVersion: _r,
    generation: _g,
    managedFields: _m,
    annotations,
    ...metadata
  } = object.metadata;
  const { status: _s, ...rest } = object;
  // Counted by the Deployment's controller.
  const { 'deployment.kubernetes.io/revision': _v, ...own } = annotations ?? {};
  return { ...rest, metadata: { ...metadata, annotations: own } };
}

/** The content of a recreated object. */
function remade(object: KubeObject | undefined): unknown {
  const { metadata, ...rest } = compared(object) as KubeObject;
  const { uid: _u, creationTimestamp: _c, ...named } = metadata;
  return { ...rest, metadata: named };
}

describe('fix on a real cluster', function () {
  this.timeout(480_000);
  needs('node');
  let scene: Scene;
  let kubeconfig = '';
  let ca: Authority;
  let otherCa: Authority;
  const state = mkdtempSync(join(tmpdir(), 'kubectl-webhook-fix-'));

  const run = (args: readonly string[]) =>
    plugin([...args, '--kubeconfig', kubeconfig], { XDG_STATE_HOME: state });
  /** As from another machine: only the cluster contains the record. */
  const runElsewhere = (args: readonly string[]) => plugin([...args, '--kubeconfig', kubeconfig]);
  /** The objects that contain the record of the change, including Namespaces. */
  const carriersOf = async (name: string, id: string): Promise<readonly string[]> => {
    const places = ['kube-system', namespaceOf(name)].map((place) =>
      scene.client.get({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } }),
    );
    return [...(await Promise.all(places)), ...(await touched(name))].flatMap((object) =>
      object?.metadata.annotations?.[`kubectl-webhook/change-${id}`] === undefined
        ? []
        : [`${object.kind} ${object.metadata.name}`],
    );
  };
  const nameOf = ({ remedy, name = remedy }: FixCase): string => name;
  const namespaceOf = (name: string): string => `${scene.namespace}-${name}`;
  const configurationOf = (name: string): string => `guard-${namespaceOf(name)}`;
  const made = new Map<string, FixObjects>();

  /** A dry-run create of a ConfigMap in the case's namespace: `created`, or the API server's refusal. */
  const trial = (name: string): Promise<string> =>
    scene
      .create(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { generateName: 'trial-', namespace: namespaceOf(name) },
        },
        { dryRun: true },
      )
      .then(
        () => 'created',
        (error: Error) => error.message,
      );

  async function objectsOf(one: FixCase): Promise<FixObjects> {
    const { replicas = 0, args } = one;
    const namespace = namespaceOf(nameOf(one));
    const [secret, service, deployment] = await backendObjects(namespace, {
      name: 'guard',
      ca,
      replicas: Math.max(replicas, 1),
      ...(args === undefined ? {} : { args: args(namespace) }),
    });
    if (secret === undefined || service === undefined || deployment === undefined)
      throw new Error('no backend');
    secret.stringData['ca.crt'] = ca.cert;
    const configuration = validatingWebhook(namespace, {
      service: 'guard',
      caBundle: ca.cert,
      webhook: { namespaceSelector: only(namespace) },
    });
    return { namespace, secret, service, deployment, configuration, ca, otherCa: otherCa.cert };
  }

  async function stage(one: FixCase): Promise<void> {
    const objects = await objectsOf(one);
    one.broken(objects);
    made.set(nameOf(one), objects);
    const { namespace, secret, service, deployment, configuration } = objects;
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await furnished(scene.client, namespace);
    const inside = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, namespace },
    });
    // A webhook for Pods comes first, so that it matches its own Pod.
    const waits = one.check === 'bootstrap-deadlock';
    const first = [...(one.withoutSecret ? [] : [secret]), service, ...(one.beside ?? [])];
    for (const object of first) await scene.create(inside(object));
    if (waits) {
      await scene.create(configuration);
      await waitFor('the refusal', async () => one.before.test(await trial(nameOf(one))));
    }
    await scene.create(inside(deployment));
    if (!waits) await scene.create(configuration);
  }

  /** Every object that a remedy of the case may change. */
  const touched = async (name: string): Promise<readonly (KubeObject | undefined)[]> => {
    const namespace = namespaceOf(name);
    return Promise.all([
      scene.client.get({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: configurationOf(name) },
      }),
      scene.client.get({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'guard', namespace } }),
      scene.client.get(deploymentOf(name)),
      scene.client.get({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'guard', namespace },
      }),
    ]);
  };

  const deploymentOf = (name: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'guard', namespace: namespaceOf(name) },
  });

  /** The API server may use an existing connection: a new Pod has none. */
  const dropKeptConnections = async (name: string): Promise<void> => {
    const pods = await scene.client.list('v1', 'Pod', namespaceOf(name));
    await Promise.all(pods.map((pod) => scene.client.delete({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 0)));
  };

  /** The finding of the case, by the name that `fix` accepts. */
  const findingOf = (name: string, check: string): string =>
    `${check}:validating/${configurationOf(name)}/guard.example.com`;

  async function finds(name: string, check: string): Promise<boolean> {
    const { stdout } = await run(['doctor', configurationOf(name), '--severity', 'info', '-o', 'json']);
    const { findings } = JSON.parse(stdout) as DoctorReport;
    return findings.some(({ id }) => id === findingOf(name, check));
  }

  /** A remedy that would do harm: checks its message, and that nothing is changed. */
  async function refused(one: FixCase, remedy: string, because: RegExp): Promise<void> {
    const name = nameOf(one);
    const before = await touched(name);
    const target = findingOf(name, one.check);
    const { code, stdout, stderr } = await run(['fix', target, '--remedy', remedy, '--yes', '-o', 'json']);
    expect(code, stderr + stdout).to.equal(1);
    const [change] = (JSON.parse(stdout) as ChangeReport).changes;
    expect(change).to.include({ remedy, state: 'refused' }).and.not.have.property('undo');
    expect(change?.why).to.match(because);
    expect((await touched(name)).map(compared)).to.deep.equal(before.map(compared));
  }

  async function drill(one: FixCase): Promise<void> {
    const { remedy, check, meanwhile } = one;
    const name = nameOf(one);
    const objects = made.get(name);
    if (objects === undefined) throw new Error('nothing was staged');
    const before = await touched(name);
    expect(await trial(name)).to.match(one.before);
    if (one.refuses !== undefined) await refused(one, ...one.refuses);
    if (one.refused !== undefined) return refused(one, remedy, one.refused);
    const flags = (one.flags ?? []).map((flag) => (flag === 'NAMESPACE' ? namespaceOf(name) : flag));
    const args = ['fix', findingOf(name, check), '--remedy', remedy, '--yes', '--wait', '120s', ...flags];
    const [fixed] = await Promise.all([run([...args, '-o', 'json']), meanwhile?.(objects, scene.client)]);
    expect(fixed.code, fixed.stderr + fixed.stdout).to.equal(0);
    const { changes } = JSON.parse(fixed.stdout) as ChangeReport;
    const [change, ...others] = changes;
    if (change === undefined) throw new Error('nothing was changed');
    expect(others).to.deep.equal([]);
    expect(change.remedy).to.equal(remedy);
    if (one.print !== undefined) {
      expect(change).to.include({ state: 'planned' }).and.not.have.property('undo');
      expect(change.print).to.match(one.print);
      expect((await run(args)).stdout).to.match(one.print);
      // A controller may write a status meanwhile.
      expect((await touched(name)).map(compared)).to.deep.equal(before.map(compared));
      return;
    }
    expect(change.state, change.why).to.equal('verified');
    if (one.warns !== undefined) expect(change.warnings?.join('\n')).to.match(one.warns);
    if (one.writes !== undefined) expect(change.steps[0]?.after).to.equal(one.writes);
    const records = await carriersOf(name, change.id);
    const changed = new Set(change.steps.map(({ object: { kind, name: its } }) => `${kind} ${its}`));
    const isUsed = one.takenUp !== undefined;
    expect(records).to.have.lengthOf(isUsed ? 0 : changed.size);
    await waitFor(`${name} to let it pass`, async () => (await trial(name)) === 'created', {
      timeout: 90_000,
    });

    // A change that its controller has processed cannot be undone, and other machines have no record of it.
    const undo = isUsed ? run : runElsewhere;
    const undone = await undo(['undo', change.id, '--yes', '-o', 'json']);
    if (one.usedSince !== undefined) {
      expect(undone.code, undone.stderr + undone.stdout).to.equal(1);
      expect(undone.stderr + undone.stdout).to.match(one.usedSince);
      expect(await trial(name)).to.equal('created');
      return;
    }
    expect(undone.code, undone.stderr + undone.stdout).to.equal(0);
    expect(await carriersOf(name, change.id)).to.deep.equal([]);
    const after = await touched(name);
    const same = remedy === 'delete-orphaned-configuration' ? remade : compared;
    expect(after.map((object) => object && same(object))).to.deep.equal(
      before.map((object) => object && same(object)),
    );
    if (one.heals) return;
    if (one.keepsConnection) await dropKeptConnections(name);
    await waitFor(
      `the failure as it was before ${name}`,
      async () => one.before.test(await trial(name)) && (!one.before.test('created') || finds(name, check)),
      { timeout: 120_000, interval: 500 },
    );
  }

  const inBackground = (work: Promise<void>): Promise<Error | undefined> =>
    work.then(
      () => undefined,
      (error: Error) => error,
    );
  let restored: Promise<Error | undefined> = Promise.resolve(undefined);
  const drilled = new Map<string, Promise<Error | undefined>>();
  const startDrills = (): void => {
    // A few at a time: each is a process that uses a cluster on the same machine.
    const lanes: Promise<unknown>[] = Array.from({ length: 4 }, () => Promise.resolve());
    for (const [at, one] of fixCases.entries()) {
      const end = (lanes[at % lanes.length] ?? Promise.resolve()).then(() => inBackground(drill(one)));
      lanes[at % lanes.length] = end;
      drilled.set(nameOf(one), end);
    }
  };

  before(async () => {
    const cluster = await nodeCluster();
    kubeconfig = cluster.kubeconfig;
    [ca, otherCa] = await Promise.all([authority({ cn: 'webhook-ca' }), authority({ cn: 'other-ca' })]);
    scene = await openScene(cluster.client);
    // Its Pod runs in the cluster at the same time.
    if (!process.env.KUBECONFIG_E2E) restored = inBackground(restorerDrill(scene, kubeconfig));
    await scene.create(certificateDefinition);
    await scene.create(issuerDefinition);
    await waitFor('Certificates to be served', () =>
      scene.client.list('cert-manager.io/v1', 'Certificate').then(
        () => true,
        () => false,
      ),
    );
    await Promise.all(fixCases.map(stage));
    await Promise.all(
      fixCases.map(async (one) => {
        const name = nameOf(one);
        await waitFor(
          `${name}: the Pods`,
          async () => {
            if (one.replicas === undefined) return true;
            return (await scene.client.get(deploymentOf(name)))?.status?.readyReplicas === one.replicas;
          },
          { timeout: 240_000 },
        );
        const objects = made.get(name);
        if (objects !== undefined) await one.next?.(objects, scene.client);
        await waitFor(`${name}: the break`, async () => one.before.test(await trial(name)), {
          timeout: 150_000,
        });
      }),
    );
    startDrills();
  });
  after(() => scene?.leave());

  for (const one of fixCases) {
    const refusal = one.refused === undefined ? 'broken, fixed, taken back, broken as before' : 'refused';
    const then = one.print === undefined ? refusal : 'printed';
    it(`${nameOf(one)}: ${then}`, async () => {
      const error = await drilled.get(nameOf(one));
      if (error !== undefined) throw error;
    });
  }

  it('failopen: its CronJob restores it, and is deleted', async function () {
    if (process.env.KUBECONFIG_E2E) this.skip();
    const error = await restored;
    if (error !== undefined) throw error;
  });

  it('renew-certificate: what no process has reloaded yet is restored exactly', async () => {
    await drilled.get('renew-certificate');
    const name = 'renew-certificate';
    const certificate = certificateOf(namespaceOf(name));
    const conditions = [{ type: 'Ready', status: 'False', reason: 'DoesNotExist', message: 'not issued' }];
    await scene.client.patch(certificate, { status: { conditions } }, 'status');
    await scene.client.delete({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'guard', namespace: namespaceOf(name) },
    });
    const target = findingOf(name, 'serving-secret-missing');
    const fixed = await run(['fix', target, '--remedy', name, '--yes', '-o', 'json', '--wait', '1s']);
    expect(fixed.code, fixed.stderr + fixed.stdout).to.equal(0);
    const issuing = (await scene.client.get(certificate))?.status.conditions.at(-1);
    expect(issuing).to.include({ type: 'Issuing', status: 'True', reason: 'ManuallyTriggered' });
    const [change] = (JSON.parse(fixed.stdout) as ChangeReport).changes;
    expect(await carriersOf(name, change?.id ?? '')).to.deep.equal([`Namespace ${namespaceOf(name)}`]);
    const undone = await runElsewhere(['undo', change?.id ?? '', '--yes', '-o', 'json']);
    expect(undone.code, undone.stderr + undone.stdout).to.equal(0);
    expect(await carriersOf(name, change?.id ?? '')).to.deep.equal([]);
    expect((await scene.client.get(certificate))?.status.conditions).to.deep.equal(conditions);
  });

  describe('refuses', () => {
    // Fixes were undone: these are broken again.
    before(() => Promise.all(drilled.values()));

    /** The reason for the refusal is visible without a connection. */
    const objectsOnly = (args: readonly string[]) => run([...args, '--probe', 'none']);
    const idOf = (remedy: string, check: string): string =>
      `${check}:validating/${configurationOf(remedy)}/guard.example.com`;
    const missing = (): string => idOf('flip-failure-policy', 'service-missing');
    const policyOf = async (): Promise<string> =>
      (await touched('flip-failure-policy'))[0]?.webhooks[0].failurePolicy;

    it('to choose without a terminal: 2, with the choices', async () => {
      const several = await objectsOnly(['fix', 'service-missing', '--yes']);
      expect(several.code).to.equal(2);
      for (const remedy of ['flip-failure-policy', 'exclude-namespace'])
        expect(several.stderr).to.match(
          new RegExp(`kubectl webhook (?:fix|failopen) \\S*${configurationOf(remedy)}`),
        );
      const remedies = await objectsOnly(['fix', missing(), '--yes']);
      expect(remedies.code).to.equal(2);
      expect(remedies.stderr)
        .to.match(/--remedy ID/)
        .and.match(/flip-failure-policy: /);
    });

    it('to change without a confirmation: 2, and nothing is changed', async () => {
      const unanswered = await objectsOnly(['fix', missing(), '--remedy', 'flip-failure-policy']);
      expect(unanswered.code, unanswered.stderr).to.equal(2);
      expect(unanswered.stderr).to.match(/--yes/);
      expect(await policyOf()).to.equal('Fail');
    });

    it('a remedy that does not apply, or does not exist: 2', async () => {
      const other = await objectsOnly(['fix', missing(), '--remedy', 'scale-up', '--yes']);
      expect([other.code, other.stderr]).to.deep.equal([2, other.stderr]);
      expect(other.stderr).to.match(/does not fit service-missing here/);
      const none = await objectsOnly(['fix', missing(), '--remedy', 'reboot', '--yes']);
      expect(none.code).to.equal(2);
      expect(none.stderr).to.match(/there is no remedy "reboot"/);
    });

    it('to disable a policy engine without the flag: 1', async () => {
      const webhook = 'validation.gatekeeper.sh';
      const configuration = validatingWebhook(namespaceOf('flip-failure-policy'), {
        service: 'nobody',
        caBundle: ca.cert,
        webhook: { name: webhook, namespaceSelector: only('no-such-namespace') },
      });
      await scene.create(configuration);
      const target = `service-missing:validating/${configuration.metadata.name}/${webhook}`;
      const args = ['fix', target, '--remedy', 'flip-failure-policy', '--yes', '-o', 'json'];
      const refused = await objectsOnly(args);
      expect(refused.code, refused.stderr).to.equal(1);
      const [change] = (JSON.parse(refused.stdout) as ChangeReport).changes;
      expect(change?.state).to.equal('refused');
      expect(change?.why).to.match(/Gatekeeper does not enforce .*--i-accept-unchecked-admission/);
      const accepted = await objectsOnly([...args, '--i-accept-unchecked-admission']);
      expect(accepted.code, accepted.stdout).to.equal(0);
      await scene.client.delete(configuration);
    });

    it('to change anything if the backup cannot be written: 2, with a next step', async () => {
      const place = () => mkdtempSync(join(tmpdir(), 'kubectl-webhook-nowhere-'));
      const file = join(place(), 'file');
      writeFileSync(file, '');
      const [full, readOnly] = [place(), place()];
      const target = ['fix', missing(), '--remedy', 'flip-failure-policy', '--yes', '--probe', 'none'];
      const args = [...target, '--kubeconfig', kubeconfig];
      /** In a separate file system. */
      const mounted = (options: string, folder: string, env: Readonly<Record<string, string>>) =>
        new Promise<{ code: number | null; stderr: string }>((resolve, reject) => {
          const mount = `mount -t tmpfs -o ${options} none "$1" && shift && exec "$@"`;
          const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;
          const child = spawn('unshare', ['--mount', 'sh', '-c', mount, 'sh', folder, program, ...args], {
            env: { PATH: process.env.PATH ?? '', ...env },
          });
          let stderr = '';
          child.stderr.on('data', (chunk) => {
            stderr += String(chunk);
          });
          child.on('error', reject).on('close', (code) => resolve({ code, stderr }));
        });
      const ends = await Promise.all([
        plugin(args, { XDG_STATE_HOME: '/proc/nowhere' }),
        plugin(args, { XDG_STATE_HOME: file }),
        mounted('size=8k', full, { XDG_STATE_HOME: full }),
        mounted('ro', readOnly, { HOME: readOnly }),
      ]);
      const why = [/ENOENT/, /ENOTDIR|EEXIST/, /ENOSPC/, /EROFS/];
      for (const [at, { code, stderr }] of ends.entries()) {
        expect(code, stderr).to.equal(2);
        expect(stderr).to.match(/^error: cannot record the previous values in .*; nothing was changed$/m);
        expect(stderr)
          .to.match(why[at] ?? /^$/)
          .and.match(/Set XDG_STATE_HOME=FOLDER to use another folder/);
      }
      expect(await policyOf()).to.equal('Fail');
    });

    it('nothing if only the plan is requested', async () => {
      for (const way of ['client', 'server']) {
        const args = ['fix', missing(), '--remedy', 'flip-failure-policy', `--dry-run=${way}`, '-o', 'json'];
        const planned = await objectsOnly(args);
        expect(planned.code, planned.stderr).to.equal(0);
        const [change] = (JSON.parse(planned.stdout) as ChangeReport).changes;
        expect(change?.state).to.equal('planned');
        expect(change?.diff).to.match(/^\+ {4}failurePolicy: Ignore$/m);
        expect(await policyOf()).to.equal('Fail');
      }
    });

    it('to report success while a controller writes the old value back: 1, with its name', async () => {
      const [configuration] = await touched('flip-failure-policy');
      if (configuration === undefined) throw new Error('no configuration');
      const path = await scene.client.path(configuration.apiVersion, configuration.kind);
      let over = false;
      const reverter = (async () => {
        while (!over) {
          const url = `${path}/${configuration.metadata.name}?fieldManager=argocd-controller`;
          if ((await policyOf()) === 'Ignore') {
            const back = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' }];
            await scene.client.request('PATCH', url, back, 'application/json-patch+json');
          }
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
      })();
      try {
        const args = [
          'fix',
          missing(),
          '--remedy',
          'flip-failure-policy',
          '--yes',
          '-o',
          'json',
          '--wait',
          '1s',
        ];
        const fought = await objectsOnly(args);
        expect(fought.code, fought.stderr).to.equal(1);
        const [change] = (JSON.parse(fought.stdout) as ChangeReport).changes;
        expect(change?.state).to.equal('applied');
        expect(change?.why).to.match(/failurePolicy is "Fail" again: argocd-controller wrote it/);
      } finally {
        over = true;
        await reverter;
      }
    });
  });
});
