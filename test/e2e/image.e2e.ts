import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { deployBackend, validatingWebhook } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import { buildProgramImage, programArchive } from '../cluster/image.ts';
import { importImage } from '../cluster/node.ts';
import { run } from '../cluster/run-command.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';

const root = join(import.meta.dirname, '../..');
const added = ['LICENSE', 'THIRD-PARTY-LICENSES.txt', 'bill-of-materials.cdx.json', 'kubectl-webhook'];

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

  it('adds the program and its bill of materials to the base, and runs as nobody', async () => {
    const { image, layers } = await contentsOf(archive);
    expect(image.config).to.deep.include({
      User: '65532:65532',
      Entrypoint: ['/usr/local/bin/kubectl-webhook'],
      Cmd: ['serve'],
    });
    expect(layers.at(-1)?.toSorted()).to.deep.equal(added.map((file) => `usr/local/bin/${file}`));
    // Neither does the base that is built here have a shell; the one of a release is distroless.
    for (const file of layers.flat()) expect(file).to.not.match(/(^|\/)(sh|bash|busybox|apk|apt|dpkg)$/);
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).to.match(
      /^ARG BASE=gcr\.io\/distroless\/[\w-]+:nonroot$/m,
    );
  });

  it('is built for the other architecture, too, from its archive', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-arm64-'));
    try {
      const name = 'kubectl-webhook_linux_amd64.tar.gz';
      copyFileSync(join(root, 'dist', name), join(folder, name));
      await run('tar', ['-czf', join(folder, 'kubectl-webhook_linux_arm64.tar.gz'), '-C', root, 'LICENSE']);
      await buildProgramImage(folder, join(folder, 'image.tar'), 'arm64');
      const { image, layers } = await contentsOf(join(folder, 'image.tar'));
      expect(image.architecture).to.equal('arm64');
      expect(layers.at(-1)).to.deep.equal(['usr/local/bin/LICENSE']);
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
    // A second attempt comes while that of the first is deleted.
    await waitFor('the namespace to be free', async () => (await client.get(home)) === undefined);
    for (const object of objects) await scene.create(object);
    const cronJob = objects.find(({ kind }) => kind === 'CronJob');
    /** Runs it now; what its Pod came to, and what it wrote. */
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

    // The certificates end in ten days.
    const ca = await authority({ cn: 'guard-ca' });
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    await scene.create(validatingWebhook(scene.namespace, { service: 'guard', caBundle: ca.cert }));
    const expiring = await runNow('with-webhook');
    expect(expiring.code, expiring.log).to.equal(1);
    expect(expiring.log, expiring.log)
      .to.contain('guard')
      .and.match(/\bin (9|10) days/);
  });
});
