import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import { adviceFor } from '../../src/checks/check.ts';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { namespace, service } from '../../src/demo/cluster/manifests.ts';
import { apiService, customResource, validating, webhook } from '../../src/demo/cluster/webhook-manifests.ts';
import { deployment } from '../../src/demo/cluster/workload-manifests.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { commandsOf } from '../../src/phrases/advice.ts';
import { reportDocument } from '../../src/render/data-formats/document.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import { kubectlBinary } from '../cluster/kubectl.ts';
import { run as runCommand } from '../cluster/run-command.ts';
import { commandsOn, examine, othersOf, screens, textsOf } from '../render/first-screens.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { advising } from '../support/report.ts';
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

describe('kubectl commands in advice', function () {
  this.timeout(120_000);
  it('have only subcommands and flags that kubectl has', async () => {
    const advice = catalogue.flatMap(({ meta }) => [
      meta.advice,
      ...Object.keys(meta.messages).map((id) => adviceFor(meta, id)),
    ]);
    const commands = advice
      .flatMap((text) => commandsOf(advising(text)))
      .map(({ text }) => wordsOf(text))
      .filter(([program, name]) => program === 'kubectl' && name !== 'webhook');
    const lines = [
      ...new Set(
        commands.map((words) =>
          words
            .slice(1)
            .join(' ')
            .replace(/ -- .*/, ''),
        ),
      ),
    ];
    expect(lines).to.have.length.greaterThan(100);
    const binary = await kubectlBinary();
    const wrong: string[] = [];
    const next = lines.values();
    const worker = async (): Promise<void> => {
      // kubectl reads all flags before it prints its help.
      for (const line of next)
        await runCommand(binary, [...line.split(' '), '--help']).catch(({ message }) => wrong.push(message));
    };
    await Promise.all([worker(), worker()]);
    expect(wrong).to.deep.equal([]);
  });
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

/** Lines that are right and may exit with another code than 0, and the error. */
const otherwise: readonly (readonly [line: RegExp, message: RegExp])[] = [
  // The embedded API server reads JSON alone.
  [/ create (?:poddisruptionbudget|priorityclass|serviceaccount) /, /a body in protobuf/],
  // Of a rollout that does not end.
  [/ rollout status /, /timed out|not found|progress deadline/i],
];

/** Reads first, then edits, then what replaces or deletes: so that each line finds the objects that it names. */
const rank = (line: string): number =>
  [/ (delete|replace) /, / (scale|rollout|patch|label) /, / edit /].findIndex((verb) => verb.test(line));
const order = (a: string, b: string): number => ((rank(b) + 4) % 4) - ((rank(a) + 4) % 4);

/** One line represents all lines that differ only in names. */
const shape = (line: string): string =>
  line.replace(/(?<=[ /=])[a-z0-9.]+(-[a-z0-9.]+)+|(?<=-n )\S+/g, 'NAME');

/** The printed lines of kubectl itself. A command without arguments is not run. */
const linesOfKubectl = (commands: readonly string[]): readonly string[] => [
  ...new Map(
    commands
      .filter((line) => !line.startsWith('kubectl webhook ') && line.split(' ').length > 3)
      .filter((line) => !hasPlaceholder({ file: '', words: wordsOf(line) }) && !/[/=][A-Z]+\b/.test(line))
      .map((line) => [shape(line), line]),
  ).values(),
];

/** Lines that kubectl refuses, with its message. */
async function refused(lines: readonly string[], kubeconfig: string): Promise<readonly string[]> {
  const PATH = `${dirname(await kubectlBinary())}:${process.env.PATH}`;
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-advised-'));
  const env = { PATH, KUBECONFIG: kubeconfig, KUBE_EDITOR: 'true', HOME: folder, TMPDIR: folder };
  const wrong: string[] = [];
  for (const line of lines.toSorted(order)) {
    const pasted = / rollout status /.test(line) ? `${line} --timeout=2s` : line;
    await runCommand('sh', ['-c', pasted], { env }).catch(({ message }: Error) => {
      const isKnown = otherwise.some(([of, said]) => of.test(line) && said.test(message));
      if (!isKnown) wrong.push(message);
    });
  }
  return wrong;
}

describe('kubectl commands that are printed', function () {
  this.timeout(240_000);

  it('exit with 0 in a cluster with every scenario', async () => {
    const now = new Date();
    const content = clusterContent(
      scenarios.flatMap(({ parts }) => parts),
      now,
    );
    const server = await startApiServer(content);
    try {
      const kubeconfig = fileWith(server.kubeconfig());
      const { reader } = await openConnection({ kubeconfig }, {});
      const report = await doctor(reader, { deep: true, now });
      reader.close();
      const lines = linesOfKubectl([
        ...commandsIn(reportDocument(report)),
        ...commandsOn(await textsOf(report)),
      ]);
      expect(lines.length).to.be.greaterThan(20);
      expect(await refused(lines, kubeconfig)).to.deep.equal([]);
    } finally {
      await server.stop();
    }
  });

  for (const [name, screen] of Object.entries(screens))
    it(`exit with 0 on the first screen ${name}, its pages and details`, async () => {
      const server = await screen.start();
      try {
        const kubeconfig = fileWith(
          screen.user === undefined ? server.kubeconfig() : server.kubeconfig(screen.user),
        );
        const report = await examine(kubeconfig, screen);
        const lines = linesOfKubectl(
          commandsOn([await textsOf(report), ...(await othersOf(kubeconfig))].join('\n')),
        );
        expect(await refused(lines, kubeconfig)).to.deep.equal([]);
      } finally {
        await server.stop();
      }
    });
});
