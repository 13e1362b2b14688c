import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { namespace, service } from '../../src/demo/cluster/manifests.ts';
import { apiService, customResource, validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../src/demo/cluster/workload-manifests.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { reportDocument } from '../../src/render/document.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import { kubectlBinary } from '../cluster/kubectl.ts';
import { run as runCommand } from '../cluster/run-command.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { commandsIn, hasPlaceholder, told, wordsOf } from '../support/told-lines.ts';

/** The objects that the documentation names, in an embedded cluster. */
const named = [
  ...['shop', 'cert-manager'].map((name) => namespace(name)),
  ...['shop/web', 'cert-manager/cert-manager-webhook', 'kube-system/metrics-server'].flatMap((key) => [
    service(key),
    deployment(key),
  ]),
  deployment('shop/cart'),
  validating('my-webhook-configuration', [webhook('my-webhook.example.com', { service: 'shop/web' })]),
  validating('policy', [webhook('policy.example.com', { service: 'shop/gone' })]),
  customResource('certificates.cert-manager.io', 'Certificate', {
    service: 'cert-manager/cert-manager-webhook',
  }),
  apiService('v1beta1.metrics.k8s.io', 'kube-system/metrics-server'),
];

/** Commands whose lines in the documentation are only parsed here, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  '--help': 'tests of its own',
  '--version': 'in the transcript, and run there',
  completion: 'writes to PATH; run by the transcript and in shells',
  failclosed: 'changes a cluster',
  failopen: 'changes a cluster',
  mcp: 'asked by the client of its protocol, in tests of its own',
  fix: 'changes a cluster; the line of the transcript is run there',
  serve: 'ends only when it is told to; in tests of its own',
  soak: 'takes a minute; run on a real cluster for less',
  undo: 'changes a cluster',
};

describe('command lines of the documentation, on an embedded cluster', function () {
  this.timeout(60_000);
  let server: Awaited<ReturnType<typeof startApiServer>>;
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-told-'));
  before(async () => {
    server = await startApiServer(clusterContent(named, new Date()));
    const kubeconfig = JSON.parse(server.kubeconfig());
    const [{ context }] = kubeconfig.contexts;
    kubeconfig.contexts.push(...['prod-1', 'prod-2', 'staging'].map((name) => ({ name, context })));
    writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 });
    writeFileSync(
      join(folder, 'pod.yaml'),
      'apiVersion: v1\nkind: Pod\nmetadata: {name: cart, namespace: shop}\nspec: {containers: [{name: cart, image: cart}]}\n',
    );
    mkdirSync(join(folder, 'manifests'));
    for (const file of ['manifests/namespace.yaml', 'webhook.yaml'])
      writeFileSync(join(folder, file), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n');
    writeFileSync(
      join(folder, 'audit.log'),
      `${JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Event', stage: 'ResponseComplete', verb: 'get' })}\n`,
    );
  });
  after(() => server?.stop());

  const whole = told.filter((line) => !hasPlaceholder(line));
  const runs = whole.filter(
    ({ file, words: [name = '', ...more] }) =>
      !file.startsWith('docs/cases/') && // run on a real cluster
      !(name in elsewhere) &&
      name !== 'checks' && // run by the fast tests
      (!['scan', 'explain', 'trace', 'what-if', 'lint'].includes(name) || more.length > 0) && // only named
      !more.includes('pod/cart-0'), // a Pod of a StatefulSet, which is not there
  );

  it('are run, or have a reason why not', () => {
    expect(runs).to.have.length.greaterThan(15);
    const left = Object.keys(elsewhere).filter((name) => !whole.some(({ words }) => words[0] === name));
    expect(left).to.deep.equal(['failclosed']);
  });

  // What others read is saved first.
  const isSnapshot = ({ words }: (typeof runs)[number]): number => Number(words[0] === 'snapshot');
  for (const { file, words } of runs.toSorted((a, b) => isSnapshot(b) - isSnapshot(a))) {
    it(`runs: kubectl webhook ${words.join(' ')} (${file})`, async () => {
      const { code, stdout, stderr } = await plugin(
        words,
        { KUBECONFIG: join(folder, 'kubeconfig') },
        folder,
      );
      expect(stderr).to.not.match(/^error/m);
      expect(code, stderr).to.be.oneOf([0, 1, 3]);
      expect(`${stdout}${stderr}`).to.match(/\S/);
    });
  }
});

describe('kubectl on an embedded cluster', () => {
  it('applies, edits, scales and deletes, and prints errors', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-typed-'));
    const server = await startApiServer(clusterContent(named, new Date()));
    try {
      const env = { KUBECONFIG: fileWith(server.kubeconfig()), HOME: folder, TMPDIR: folder };
      const binary = await kubectlBinary();
      const editor = join(folder, 'editor');
      writeFileSync(editor, '#!/bin/sh\nsed -i "s/timeoutSeconds: .*/timeoutSeconds: 7/" "$1"\n', {
        mode: 0o755,
      });
      const kubectl = async (line: string): Promise<string> => {
        const stdout = await runCommand(binary, line.split(' '), {
          env: { ...env, KUBE_EDITOR: editor },
        });
        return stdout.trim();
      };
      const manifest = (image: string): string =>
        fileWith(`apiVersion: apps/v1
kind: Deployment
metadata: {name: typed, namespace: shop}
spec:
  selector: {matchLabels: {app: typed}}
  template:
    metadata: {labels: {app: typed}}
    spec: {containers: [{name: one, image: '${image}', ports: [{containerPort: 80}]}, {name: two, image: two}]}
`);
      expect(await kubectl(`apply -f ${manifest('one:1')}`)).to.equal('deployment.apps/typed created');
      expect(await kubectl(`apply -f ${manifest('one:2')}`)).to.equal('deployment.apps/typed configured');
      await kubectl('-n shop set image deployment/typed two=two:3');
      expect(
        await kubectl('-n shop get deployment typed -o jsonpath={.spec.template.spec.containers[*].image}'),
      ).to.equal('one:2 two:3');
      await kubectl('edit validatingwebhookconfiguration policy');
      expect(
        await kubectl('get validatingwebhookconfiguration policy -o jsonpath={.webhooks[0].timeoutSeconds}'),
      ).to.equal('7');
      expect(await kubectl('-n shop rollout restart deployment/typed')).to.match(/restarted$/);
      expect(await kubectl('-n shop scale deployment/typed --replicas=3')).to.match(/scaled$/);
      expect(await kubectl('-n shop delete deployment typed')).to.match(/deleted/);
      const said = await kubectl('create configmap typed --from-literal=a=b').catch(({ message }) => message);
      expect(said).to.match(/protobuf; kubectl create -f FILE sends JSON/);
    } finally {
      await server.stop();
    }
  });
});

describe('kubectl commands that reports advise, on an embedded cluster with every scenario', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-advised-'));

  it('are commands, flags and resources that kubectl has', async () => {
    const now = new Date();
    const server = await startApiServer(
      clusterContent(
        scenarios.flatMap(({ parts }) => parts),
        now,
      ),
    );
    try {
      const KUBECONFIG = fileWith(server.kubeconfig());
      const { reader } = await openConnection({ kubeconfig: KUBECONFIG }, {});
      const question = { deep: true, now };
      const report = await doctor(reader, question);
      reader.close();
      // One line represents all lines that differ only in names. A command without arguments is not run.
      const shape = (line: string): string =>
        line.replace(/(?<=[ /=])[a-z0-9.]+(-[a-z0-9.]+)+|(?<=-n )\S+/g, 'NAME');
      const lines = commandsIn(reportDocument(report)).filter(
        (line) => !line.startsWith('kubectl webhook ') && line.split(' ').length > 3,
      );
      const shapes = new Map(lines.map((line) => [shape(line), line]));
      expect(shapes.size).to.be.greaterThan(20);
      const kubectl = await kubectlBinary();
      const wrong: string[] = [];
      const left = [...shapes.values()];
      const work = async (): Promise<void> => {
        for (let line = left.pop(); line !== undefined; line = left.pop()) {
          const env = { KUBECONFIG, KUBE_EDITOR: 'true', HOME: folder, TMPDIR: folder };
          await runCommand(kubectl, wordsOf(line).slice(1), { env }).catch(({ message }: Error) => {
            // An error about a missing object shows that the line was valid.
            if (/unknown|flag needs|must specify|invalid argument|--help/.test(message)) wrong.push(message);
            if (/have a resource type "(?!certificaterequest")/.test(message)) wrong.push(message);
          });
        }
      };
      await Promise.all([work(), work(), work()]);
      expect(wrong).to.deep.equal([]);
    } finally {
      await server.stop();
    }
  });
});
