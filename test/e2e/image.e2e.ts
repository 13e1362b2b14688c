import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { deployBackend, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { helmBinary } from '../cluster/helm.ts';
import { buildProgramImage, programArchive } from '../cluster/image.ts';
import { importImage } from '../cluster/node.ts';
import { run } from '../cluster/run-command.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

const root = join(import.meta.dirname, '../..');
const added = ['LICENSE', 'THIRD-PARTY-LICENSES.txt', 'bill-of-materials.cdx.json', 'kubectl-webhook'];

const shells = /(^|\/)(sh|bash|busybox|apk|apt|dpkg)$/;

/** Configuration and files of each layer, of an archive that buildah pushed. */
async function contentsOf(archive: string) {
  const read = async (file: string) => JSON.parse(await run('tar', ['-xOf', archive, file]));
  const [{ Config, Layers }] = await read('manifest.json');
  const layers = await Promise.all(
    (Layers as readonly string[]).map(async (layer) => {
      const listed = await run('bash', ['-c', 'tar -xOf "$1" "$2" | tar -tvf -', '-', archive, layer]);
      return listed.split('\n').flatMap((line) => (/^[-l]/.test(line) ? (line.split(/ +/)[5] ?? []) : []));
    }),
  );
  return { image: await read(Config), layers };
}

describe('the image', function () {
  this.timeout(300_000);
  needs('own-node');
  const scene = useScene(nodeCluster);
  let archive = '';
  before(async () => {
    archive = await programArchive();
    const { folder = '' } = await nodeCluster();
    await importImage(folder, archive);
  });

  it('adds the program and its bill of materials to the base, and runs as nonroot', async () => {
    const { image, layers } = await contentsOf(archive);
    expect(image.config).to.deep.include({
      User: '65532:65532',
      Entrypoint: ['/usr/local/bin/kubectl-webhook'],
      Cmd: ['serve'],
    });
    expect(layers.at(-1)?.toSorted()).to.deep.equal(added.map((file) => `usr/local/bin/${file}`));
    // The base that is built here has no shell either; that of a release is distroless.
    for (const file of layers.flat()) expect(file).to.not.match(shells);
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).to.match(
      /^ARG BASE=gcr\.io\/distroless\/[\w-]+:nonroot$/m,
    );
  });

  it('is the same for the other architecture, and reads a cluster in emulation', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-arm64-'));
    try {
      const other = join(folder, 'image.tar');
      await buildProgramImage(other, 'arm64');
      const [native, emulated] = await Promise.all([contentsOf(archive), contentsOf(other)]);
      expect([native.image.architecture, emulated.image.architecture]).to.deep.equal(['amd64', 'arm64']);
      expect(emulated.image.config).to.deep.equal(native.image.config);
      expect(emulated.layers.at(-1)).to.deep.equal(native.layers.at(-1));
      for (const file of emulated.layers.flat()) expect(file).to.not.match(shells);

      const image = join(folder, 'root');
      await run('bash', [
        '-euc',
        'mkdir "$2"; for layer in $(tar -xOf "$1" manifest.json | grep -oE "[0-9a-f]{64}\\.tar"); do tar -xOf "$1" "$layer" | tar -xf - -C "$2"; done',
        ...['-', other, image],
      ]);
      const program = readFileSync(join(image, 'usr/local/bin/kubectl-webhook'));
      // EM_AARCH64 (elf.h)
      expect(program.readUInt16LE(18)).to.equal(183);
      copyFileSync('/usr/bin/qemu-aarch64-static', join(image, 'qemu'));
      copyFileSync(scene.kubeconfig, join(image, 'tmp/kubeconfig'));
      chmodSync(join(image, 'tmp/kubeconfig'), 0o644);
      const [entrypoint] = emulated.image.config.Entrypoint;
      const said = await run('chroot', [
        ...[`--userspec=${emulated.image.config.User}`, image, '/qemu', entrypoint],
        ...[
          'doctor',
          '--probe',
          'none',
          '--fail-on',
          'never',
          '-o',
          'json',
          '--kubeconfig',
          '/tmp/kubeconfig',
        ],
      ]);
      const { kind, notLookedAt, cluster } = JSON.parse(said);
      expect({ kind, notLookedAt }).to.deep.equal({ kind: 'DoctorReport', notLookedAt: [] });
      expect(cluster.version).to.match(/^v1\./);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('runs the CronJob of the examples as printed', async () => {
    const printed = readFileSync(join(root, 'docs/examples/cert-check-cronjob.yaml'), 'utf8');
    const objects = parseAllDocuments(printed).map((document) => document.toJS() as KubeObject);
    const { client } = scene;
    const [home] = objects;
    if (home?.kind !== 'Namespace') throw new Error('the example does not begin with its namespace');
    // A retry may start while the namespace of the first attempt is deleted.
    await waitFor('the namespace to be free', async () => (await client.get(home)) === undefined);
    for (const object of objects) await scene.create(object);
    const cronJob = objects.find(({ kind }) => kind === 'CronJob');
    /** Runs it now; returns the result of its Pod, and its output. */
    const runNow = async (name: string) => {
      const { namespace = '' } = cronJob?.metadata ?? {};
      const metadata = { name, namespace };
      const spec = { ...cronJob?.spec.jobTemplate.spec, backoffLimit: 0 };
      await client.create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
      const pod = await waitFor(
        `the Pod of Job ${name} to end`,
        async () => {
          const [one] = await client.list('v1', 'Pod', namespace, `job-name=${name}`);
          return one?.status?.containerStatuses?.[0]?.state?.terminated && one;
        },
        { timeout: 120_000 },
      );
      const log = await client.request(
        'GET',
        `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/log`,
      );
      return { code: pod.status.containerStatuses[0].state.terminated.exitCode, log: log.body };
    };
    const without = await runNow('without-webhooks');
    expect(without.code, without.log).to.equal(0);

    // The certificates expire in ten days.
    const ca = await authority({ cn: 'guard-ca' });
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
    const expiring = await runNow('with-webhook');
    expect(expiring.code, expiring.log).to.equal(1);
    expect(expiring.log, expiring.log)
      .to.contain('guard')
      .and.match(/\bin (9|10) days/);
  });

  it('waits in the hooks of the examples as printed: Argo CD until the webhook responds, helm test with Helm', async () => {
    const { client, kubeconfig } = scene;
    const example = (name: string): string => readFileSync(join(root, 'docs/examples', name), 'utf8');
    const [account, argo] = parseAllDocuments(example('argo-cd-wait.yaml')).map(
      (document) => document.toJS() as KubeObject,
    );
    if (account === undefined || argo === undefined) throw new Error('the example has changed');
    const { namespace = '' } = argo.metadata;
    const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } as const;
    await waitFor('the namespace to be free', async () => (await client.get(home)) === undefined);
    await scene.create(home);
    await scene.create(account);
    expect(example('argo-cd-wait.yaml')).to.contain(
      `kubectl webhook rbac wait --serviceaccount ${namespace}:webhook-wait `,
    );
    const ca = await authority({ cn: 'my-policy-ca' });
    const configuration = validatingWebhook(scene.namespace, { service: 'my-policy', caBundle: ca.cert });
    await scene.create({ ...configuration, metadata: { ...configuration.metadata, name: 'my-policy' } });

    const asked = [
      'rbac',
      'wait',
      '--serviceaccount',
      `${namespace}:webhook-wait`,
      '--kubeconfig',
      kubeconfig,
    ];
    const roles = await plugin(asked);
    expect(roles.code, roles.stderr).to.equal(0);
    for (const document of parseAllDocuments(roles.stdout)) await scene.create(document.toJS());

    // A sync installs the hook first, while the webhook's Pods start.
    await scene.create(argo);
    const podOf = async () => (await client.list('v1', 'Pod', namespace, 'job-name=webhook-wait'))[0];
    await waitFor('the hook to wait', async () => (await podOf())?.status?.containerStatuses?.[0]?.started, {
      timeout: 120_000,
    });
    await deployBackend(scene, { name: 'my-policy', ca, replicas: 1 });
    const ended = await waitFor(
      'the hook to end',
      async () => (await podOf())?.status?.containerStatuses?.[0]?.state?.terminated,
      { timeout: 120_000 },
    );
    expect(ended.exitCode).to.equal(0);

    const chart = mkdtempSync(join(tmpdir(), 'kubectl-webhook-hook-'));
    mkdirSync(join(chart, 'templates/tests'), { recursive: true });
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 0.1.0\n');
    writeFileSync(join(chart, 'templates/tests/webhook.yaml'), example('helm-test-wait.yaml'));
    const helm = await helmBinary();
    const env = { KUBECONFIG: kubeconfig };
    try {
      await run(helm, ['install', 'shop', chart, '-n', namespace], { env });
      expect(await run(helm, ['test', 'shop', '-n', namespace], { env })).to.match(/Phase: +Succeeded/);
    } finally {
      await run(helm, ['uninstall', 'shop', '-n', namespace], { env }).catch(() => '');
      rmSync(chart, { recursive: true });
    }
  });
});
