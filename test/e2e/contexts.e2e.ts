import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import {
  certificateSchemaErrors,
  listSchemaErrors,
  schemaErrors,
  severalSchemaErrors,
  whatIfSchemaErrors,
} from '../support/schema.ts';

const hostile = 'prod-\u001b[31m<b>|`evil`';

interface Item {
  readonly kind: string;
  readonly cluster: { readonly context: string; readonly server: string; readonly error?: string };
  readonly summary: { readonly callouts: Record<string, number> };
}

describe('several clusters in one run', function () {
  this.timeout(120_000);
  const servers: DemoApiServer[] = [];
  let silent: Server;
  let kubeconfig: string;

  const entry = (name: string, server: DemoApiServer) => {
    const one = JSON.parse(server.kubeconfig());
    return {
      cluster: { ...one.clusters[0], name },
      user: { ...one.users[0], name },
      context: { name, context: { cluster: name, user: name } },
    };
  };

  before(async () => {
    const now = new Date();
    const scenario = async (slug: string) => {
      const parts = scenarios.find((one) => one.slug === slug)?.parts;
      if (parts === undefined) throw new Error(`no scenario ${slug}`);
      servers.push(await startApiServer(clusterContent(parts, now)));
      return servers.at(-1) as DemoApiServer;
    };
    silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const unreached = (name: string, server: string) => ({
      cluster: { name, cluster: { server } },
      user: { name, user: { token: 'secret-token' } },
      context: { name, context: { cluster: name, user: name } },
    });
    const all = [
      entry('prod-fine', await scenario('webhook-name-twice')),
      entry('prod-broken', await scenario('crash-loop')),
      entry(hostile, await scenario('service-missing')),
      unreached('prod-dead', 'https://user:hidden@127.0.0.1:1'),
      unreached('slow', `https://127.0.0.1:${port}`),
      { ...unreached('lost', ''), cluster: { name: 'other', cluster: { server: 'https://127.0.0.1:1' } } },
    ];
    kubeconfig = fileWith(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: all.map(({ cluster }) => cluster),
        users: all.map(({ user }) => user),
        contexts: all.map(({ context }) => context),
      }),
    );
  });
  after(async () => {
    silent.close();
    await Promise.all(servers.map((server) => server.stop()));
  });
  const run = (...args: readonly string[]) => plugin([...args, '--kubeconfig', kubeconfig]);

  it('prints one document for each context, in the order of the flag; exit code 1', async () => {
    const { code, stdout } = await run('doctor', '--contexts', 'prod-fine,prod-*', '-o', 'json');
    expect(code).to.equal(1);
    const list = JSON.parse(stdout) as { items: readonly Item[] };
    expect(severalSchemaErrors(list)).to.deep.equal([]);
    expect(list.items.flatMap(schemaErrors)).to.deep.equal([]);
    expect(list.items.map(({ cluster }) => cluster.context)).to.deep.equal([
      'prod-fine',
      hostile,
      'prod-broken',
      'prod-dead',
    ]);
    const [fine, , broken, dead] = list.items;
    expect([fine?.summary.callouts.failing, broken?.summary.callouts.failing]).to.deep.equal([0, 1]);
    expect(dead?.cluster.error).to.contain('connection refused');
    expect(dead?.cluster.server).to.equal('https://127.0.0.1:1');
    expect(stdout).not.to.match(/secret-token|hidden/);
  });

  it('prints the same as for each cluster alone', async () => {
    const several = await run('doctor', '--contexts', 'prod-broken,prod-fine', '-o', 'json');
    const { items } = JSON.parse(several.stdout) as { items: readonly object[] };
    const verdicts = (document: object) =>
      (document as { callouts: readonly { verdict: object }[] }).callouts.map(({ verdict }) => verdict);
    for (const [at, context] of ['prod-broken', 'prod-fine'].entries()) {
      const alone = await run('doctor', '--context', context, '-o', 'json');
      expect(verdicts(items[at] ?? {})).to.deep.equal(verdicts(JSON.parse(alone.stdout)));
    }
  });

  it('exits with 0 if all is well, with 3 if a cluster could not be read and nothing was found', async () => {
    expect((await run('doctor', '--contexts', 'prod-fine')).code).to.equal(0);
    expect((await run('doctor', '--contexts', 'prod-fine,prod-dead')).code).to.equal(3);
    expect((await run('doctor', '--contexts', 'prod-dead')).code).to.equal(3);
    expect((await run('list', '--contexts', 'prod-fine,lost')).code).to.equal(3);
  });

  it('limits the time for a cluster that hangs, and reports the others completely', async () => {
    const started = Date.now();
    const { code, stdout } = await run('doctor', '--all-contexts', '--timeout', '8s', '--probe', 'none');
    expect(Date.now() - started).to.be.lessThan(60_000);
    expect(code).to.equal(1);
    expect(stdout).to.match(/^6 clusters, 3 not read · /);
    expect(stdout).to.contain('slow · not read: the time limit of the run');
    expect(stdout).to.match(/no\s+cluster\s+"lost"/);
    expect(stdout).to.contain('✔ 1 cluster: no failing call found');
    // Worst first, and the printed command selects that cluster.
    const broken = stdout.split('\n').filter((line) => line.startsWith('✖ failing'));
    expect(broken).to.have.length(2);
    expect(stdout).to.match(/--context\s+(\\\s+)?\S*prod-/);
  });

  it('never prints the unescaped name of a context', async () => {
    const quick = ['--contexts', 'prod-*', '--probe', 'none'];
    const runs: Readonly<Record<string, readonly string[]>> = {
      doctor: ['doctor', '--details', ...quick],
      name: ['doctor', '-o', 'name', ...quick],
      brief: ['doctor', '-o', 'brief', ...quick],
      markdown: ['doctor', '-o', 'markdown', ...quick],
      html: ['doctor', '-o', 'html', ...quick],
      'cert-check': ['cert-check', '--all', ...quick],
      list: ['list', '--contexts', 'prod-*'],
    };
    for (const [name, args] of Object.entries(runs)) {
      const { stdout, stderr } = await run(...args);
      expect(stdout + stderr, name).not.to.contain('\u001b[31m');
      expect(stdout + stderr, name).to.contain('prod-broken');
      // Only in HTML, `<b>` is markup.
      if (name === 'html' || name === 'brief') expect(stdout).not.to.contain('<b>|');
    }
  });

  it('names webhooks for other commands with their context', async () => {
    const { stdout } = await run('doctor', '--contexts', 'prod-broken', '-o', 'name');
    const [line = ''] = stdout.trimEnd().split('\n');
    expect(line).to.match(/^--context prod-broken validating\//);
    const { code } = await run('doctor', ...line.split(' '));
    expect(code).to.equal(1);
  });

  it('shows all clusters on one page: a row and a section for each', async () => {
    const html = (await run('doctor', '--contexts', 'prod-*', '-o', 'html')).stdout;
    const links = [...html.matchAll(/href="#(cluster-\d)"/g)].map(([, id]) => id);
    expect(links).to.deep.equal(['cluster-0', 'cluster-1', 'cluster-2', 'cluster-3']);
    for (const id of links) expect(html).to.contain(`<section id="${id}">`);
    const markdown = (await run('doctor', '--contexts', 'prod-*', '-o', 'markdown')).stdout;
    expect(markdown).to.match(/^# 4 clusters, 1 not read · /);
    expect(markdown.match(/^## Webhooks of /gm)).to.have.length(2);
  });

  it('lists webhooks of all clusters in one table, the worst first, and reads as JSON', async () => {
    const { stdout, stderr, code } = await run('list', '--contexts', 'prod-*');
    expect(code).to.equal(3);
    const [head = '', ...rows] = stdout.trimEnd().split('\n');
    expect(head).to.match(/^CLUSTER +NAME /);
    const states = rows.map((row) => row.split(/ {2,}/).at(-1)?.split(' ')[0]);
    expect(states.indexOf('not')).to.be.greaterThan(states.lastIndexOf('failing'));
    expect(stderr).to.contain('prod-dead: not listed: the cluster');
    const list = JSON.parse((await run('list', '--contexts', 'prod-*', '-o', 'json')).stdout);
    expect(severalSchemaErrors(list)).to.deep.equal([]);
    expect(list.items.flatMap(listSchemaErrors)).to.deep.equal([]);
  });

  it('predicts the same failure in each cluster, and ranks backends of all clusters', async () => {
    const each = await run('what-if', '--down', 'each', '--contexts', 'prod-*', '--probe', 'none');
    expect(each.code).to.equal(1);
    expect(each.stdout).to.contain('prod-dead: https://127.0.0.1:1 cannot be reached');
    expect(each.stdout).to.match(/^CLUSTER +# +EFFECT/m);
    const ranks = [...each.stdout.matchAll(/^prod-\S+ +(\d+) /gm)].map(([, rank]) => Number(rank));
    expect(ranks.length).to.be.greaterThan(2);
    expect(ranks).to.deep.equal(ranks.map((_, at) => at + 1));
    const cold = await run(
      'what-if',
      '--cold-start',
      '--contexts',
      'prod-*',
      '--probe',
      'none',
      '-o',
      'json',
    );
    const list = JSON.parse(cold.stdout);
    expect(severalSchemaErrors(list)).to.deep.equal([]);
    expect(list.items.flatMap(whatIfSchemaErrors)).to.deep.equal([]);
    const markdown = await run(
      'what-if',
      '--cold-start',
      '--contexts',
      'prod-*',
      '--probe',
      'none',
      '-o',
      'markdown',
    );
    expect(markdown.stdout.match(/^## What if /gm)).to.have.length(3);
    expect(each.stdout + markdown.stdout).not.to.contain('\u001b[31m');
    expect((await run('what-if', '--down', 'each', '--contexts', 'prod-*', '-o', 'html')).code).to.equal(2);
  });

  it('compares certificates of all clusters', async () => {
    const { stdout } = await run('cert-check', '--contexts', 'prod-*', '--all');
    expect(stdout).to.match(/^CLUSTER +WEBHOOK/);
    expect(stdout).to.contain('prod-dead · not read: ');
    const list = JSON.parse((await run('cert-check', '--contexts', 'prod-*', '-o', 'json')).stdout);
    expect(list.items.flatMap(certificateSchemaErrors)).to.deep.equal([]);
  });

  it('saves a snapshot of each cluster, with the same results', async () => {
    const directory = join(mkdtempSync(join(tmpdir(), 'kubectl-webhook-test-')), 'new');
    const { code, stderr } = await run('snapshot', directory, '--contexts', 'prod-*');
    expect(code).to.equal(3);
    expect(stderr).to.contain('prod-dead: not saved: ');
    const files = readdirSync(directory);
    expect(files).to.have.length(3);
    expect(files.every((file) => /^webhooks-prod-[\w.-]+\.json\.gz$/.test(file))).to.equal(true);
    const broken = files.find((file) => file.includes('prod-broken')) ?? '';
    expect((await plugin(['doctor', '--from-snapshot', join(directory, broken)])).code).to.equal(1);
  });

  it('refuses an unknown context, an unknown name, and flags for one cluster', async () => {
    for (const args of [
      ['--contexts', 'nope*'],
      ['no-such-webhook', '--contexts', 'prod-fine,prod-broken'],
      ['--contexts', 'prod-fine', '--context', 'prod-broken'],
      ['--all-contexts', '--server', 'https://127.0.0.1:1'],
      ['--contexts', 'prod-fine', '-o', 'sarif'],
    ])
      expect((await run('doctor', ...args)).code, args.join(' ')).to.equal(2);
  });
});
