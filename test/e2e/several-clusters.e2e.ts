import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { deployBackend, validatingWebhook } from '../cluster/backend-pods.ts';
import { kubectlBinary } from '../cluster/kubectl.ts';
import { apiServer, needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { wrapperFlags } from '../support/wrapper-flags.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

/** Run by the chart, on a node (chart.e2e.ts). */
const runsInPods = 'kubectl webhook serve --leader-elect';

type Report = Pick<DoctorReport, 'cluster' | 'callouts' | 'notLookedAt'>;

/** A context for a user with only these roles, one for the administrator, one that cannot be reached. */
function threeContexts(kubeconfig: string, user: string): string {
  const { clusters, users, ...rest } = parse(readFileSync(kubeconfig, 'utf8'));
  const [{ cluster, name }] = clusters;
  const [admin] = users;
  return fileWith(
    JSON.stringify({
      ...rest,
      clusters: [
        { name, cluster },
        { name: 'gone', cluster: { server: 'https://127.0.0.1:1' } },
      ],
      users: [admin, { name: 'reader', user: { ...admin.user, as: user } }],
      contexts: [
        { name: 'real-admin', context: { cluster: name, user: admin.name } },
        { name: 'real-reader', context: { cluster: name, user: 'reader' } },
        { name: 'gone', context: { cluster: 'gone', user: admin.name } },
      ],
      'current-context': 'real-reader',
    }),
  );
}

describe('several contexts, and agents, with a real API server', function () {
  this.timeout(180_000);
  needs('api-server');
  const scene = useScene(() => apiServer());

  it('accepts all flags of a wrapper at once, a password beside a client certificate included', async () => {
    const basic = ['--username=u', '--password=p'];
    for (const command of ['doctor', 'list', 'cert-check']) {
      const runs = [
        ['--kubeconfig', scene.kubeconfig],
        [...wrapperFlags(scene.kubeconfig), ...basic],
      ].map((flags) => plugin([command, '-o', 'name', ...flags]));
      const [without, all] = await Promise.all(runs);
      expect(all).to.deep.equal(without);
      expect(without).to.deep.include({ code: 0, stderr: '' });
    }
  });

  it('reports the same by each access method, with the printed roles, and one unreachable cluster affects only itself', async () => {
    const user = `reader-${scene.namespace}`;
    await scene.create(
      validatingWebhook(scene.namespace, {
        service: 'gone',
        caBundle: (await authority({ cn: 'fleet' })).cert,
      }),
    );
    // Dry runs need the permissions for this webhook.
    const { stdout } = await plugin([
      ...['rbac', 'mcp', '--for-user', user],
      ...['--kubeconfig', scene.kubeconfig],
    ]);
    for (const document of parseAllDocuments(stdout)) await scene.create(document.toJS());
    const kubeconfig = threeContexts(scene.kubeconfig, user);
    const { items, code } = await waitFor('the roles to count', async () => {
      const run = await plugin(['doctor', '--all-contexts', '-o', 'json', '--kubeconfig', kubeconfig]);
      const { items: found } = JSON.parse(run.stdout) as { items: readonly Report[] };
      expect(JSON.stringify(found[2]?.notLookedAt)).to.equal('[]');
      return { items: found, code: run.code };
    });
    expect(code).to.equal(1);
    const [gone, admin, reader] = items;
    expect(gone?.cluster.error).to.contain('connection refused');
    const verdicts = (report: Report | undefined) =>
      report?.callouts.map(({ webhook, verdict }) => ({ webhook, verdict }));
    expect(verdicts(reader)).to.deep.equal(verdicts(admin));

    const client = new Client({ name: 'e2e', version: '1' });
    const { PATH = '', HOME = '/tmp' } = process.env;
    await client.connect(
      new StdioClientTransport({
        command: program,
        args: ['mcp', '--kubeconfig', kubeconfig],
        env: { PATH, HOME },
      }),
    );
    try {
      const answer = (await client.callTool({ name: 'doctor', arguments: {} })) as unknown as {
        content: { text: string }[];
      };
      const report = JSON.parse(answer.content[0]?.text ?? '') as Report;
      expect(report.cluster.context).to.equal('real-reader');
      expect(report.notLookedAt).to.deep.equal([]);
      expect(report.callouts.map(({ verdict }) => verdict)).to.deep.equal(
        admin?.callouts.map(({ verdict }) => verdict),
      );
    } finally {
      await client.close();
    }
  });
});

describe('docs/fleet.md, on a real node', function () {
  this.timeout(600_000);
  needs('node');
  const scene = useScene(nodeCluster);

  /** A kubeconfig with these contexts, all of the cluster of the scene, and a shell that uses it. */
  async function shellWith(names: readonly string[]) {
    const config = parse(readFileSync(scene.kubeconfig, 'utf8'));
    const [{ context }] = config.contexts;
    const contexts = names.map((name) => ({ name, context }));
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-fleet-'));
    for (const [name, target] of [
      ['kubectl', await kubectlBinary()],
      ['kubectl-webhook', program],
    ] as const)
      symlinkSync(target, join(folder, name));
    const { PATH = '' } = process.env;
    const env = {
      PATH: `${folder}:${PATH}`,
      HOME: folder,
      KUBECONFIG: fileWith(JSON.stringify({ ...config, contexts, 'current-context': names[0] })),
    };
    const shell = (line: string) => spawnSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
    return { folder, shell };
  }

  /** A webhook that serves, and one without a Service. */
  async function twoWebhooks(): Promise<void> {
    const { namespace } = scene;
    const ca = await authority({ cn: 'fleet' });
    await deployBackend(scene, { name: 'guard', ca, replicas: 1 });
    await scene.create(validatingWebhook(namespace, { service: 'guard', caBundle: ca.cert }));
    const gone = validatingWebhook(namespace, { service: 'gone', caBundle: ca.cert });
    await scene.create({ ...gone, metadata: { ...gone.metadata, name: 'policy' } });
  }

  it('each line runs as printed, as a plugin of kubectl', async () => {
    const page = readFileSync(new URL('../../docs/fleet.md', import.meta.url), 'utf8');
    const lines = (page.match(/^kubectl webhook .*$/gm) ?? []).filter((line) => line !== runsInPods);
    expect(page).to.contain(`\n${runsInPods}\n`);
    expect(lines).to.have.length.greaterThan(8);
    await twoWebhooks();
    const { folder, shell } = await shellWith(['staging', 'prod-1', 'prod-2']);
    expect(shell('kubectl plugin list').stdout).to.contain(join(folder, 'kubectl-webhook'));
    for (const line of lines) {
      const { status, stdout, stderr } = shell(line);
      // xargs: 123 if a command exited with 1.
      expect(status, `${line}\n${stderr}`).to.be.oneOf(line.includes('xargs') ? [123] : [0, 1]);
      expect(stderr, line).to.not.match(/^error/m);
      expect(stdout, line).to.match(line.includes(' snapshot ') ? /^/ : /\S/);
      if (line.includes(' secret: ')) expect(stdout).to.contain(`${scene.namespace}/guard`);
    }
    expect(readdirSync(join(folder, 'snapshots')).toSorted().join(' ')).to.match(
      /^webhooks-prod-1\S* webhooks-prod-2\S*$/,
    );
  });

  it('the first line examines forty contexts, with probes, in one run', async () => {
    await twoWebhooks();
    const names = Array.from({ length: 40 }, (_, at) => `prod-${at + 1}`);
    const { shell } = await shellWith(names);
    const { status, stdout, stderr } = shell('kubectl webhook doctor --all-contexts');
    expect(stderr).to.not.match(/^error/m);
    expect(status).to.equal(1);
    expect(stdout).to.match(/^40 clusters/m);
    const documents = shell('kubectl webhook doctor --all-contexts -o json');
    const { items } = JSON.parse(documents.stdout) as { items: readonly Report[] };
    const verdicts = (report: Report | undefined) =>
      report?.callouts.map(({ webhook, verdict }) => [webhook, verdict.state, verdict.confidence]);
    expect(items.map(({ cluster: { context } }) => context)).to.have.members(names);
    // Each context reaches the same cluster, so each has the same result, of probes too.
    for (const item of items) {
      expect(item.notLookedAt, item.cluster.context).to.deep.equal([]);
      expect(verdicts(item)).to.deep.equal(verdicts(items[0]));
    }
    expect(verdicts(items[0])).to.deep.include(['guard.example.com', 'healthy', 'observed']);
    expect(verdicts(items[0])?.map(([name, state]) => `${name} ${state}`)).to.include(
      'gone.example.com failing',
    );
  });
});
