import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import { type Check, decidingVerdicts } from '../../src/checks/check.ts';
import { openConnection } from '../../src/collect/kube/open-cluster.ts';
import { readCluster } from '../../src/collect/planner.ts';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { WebhookList } from '../../src/diagnose/report.ts';
import { webhookList } from '../../src/diagnose/webhook-list.ts';
import { calloutId } from '../../src/facts/callout.ts';
import { changedRows, renderList, renderLists } from '../../src/render/list/render-list.ts';
import { checkWhileReading } from '../../src/workflows/check-while-reading.ts';
import { doctor } from '../../src/workflows/doctor.ts';
import { isQuick } from '../../src/workflows/list.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { listSchemaErrors } from '../support/schema.ts';

const now = new Date();

describe('kubectl webhook list', function () {
  this.timeout(60_000);
  let server: DemoApiServer;
  let kubeconfig: string;
  let list: WebhookList;
  before(async () => {
    server = await startApiServer(
      clusterContent(
        scenarios.flatMap(({ parts }) => parts),
        now,
      ),
    );
    kubeconfig = fileWith(server.kubeconfig());
    list = JSON.parse((await plugin(['list', '-o', 'json', '--kubeconfig', kubeconfig])).stdout);
  });
  after(() => server.stop());
  const run = (...args: readonly string[]) => inProcess(['list', '--kubeconfig', kubeconfig, ...args]);
  const rows = async (...args: readonly string[]): Promise<readonly (readonly string[])[]> =>
    (await run(...args)).stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('omits only checks that change no row', async () => {
    const { reader } = await openConnection({ kubeconfig }, {});
    try {
      const source = readCluster(reader, { readOptions: { topics: [], examineAll: false }, now });
      await source.first();
      const snapshot = await source.snapshot();
      const { facts } = snapshot;
      const rowsBy = async (checks: readonly Check[]) => {
        const checkResults = await checkWhileReading(
          checks,
          { takenAt: facts.takenAt, known: async () => facts },
          reader,
        );
        return webhookList(snapshot, facts.callouts, catalogue, { checkResults, managedBy: () => undefined })
          .items;
      };
      const quick = catalogue.filter(isQuick);
      const deciding = decidingVerdicts(quick);
      expect(deciding.length).to.be.lessThan(quick.length - 20);
      expect(await rowsBy(deciding)).to.deep.equal(await rowsBy(quick));
    } finally {
      reader.close();
    }
  });

  it('is valid by its schema', () => {
    expect(listSchemaErrors(list)).to.deep.equal([]);
    expect(list.items.length).to.be.greaterThan(100);
  });

  it('agrees with doctor without probes, or reports less: only Pods show more', async () => {
    const { reader } = await openConnection({ kubeconfig }, {});
    const report = await doctor(reader, { now }).finally(() => reader.close());
    const detail = new Map(report.callouts.map((one) => [calloutId(one), one.verdict]));
    const differ = list.items.flatMap((item) => {
      const other = detail.get(calloutId(item));
      return other?.state === item.verdict.state
        ? []
        : [`${item.webhook}: ${item.verdict.state}, doctor: ${other?.state} (${other?.because[0]})`];
    });
    expect(differ).to.deep.equal([
      'inject.telemetry.example.com: healthy, doctor: degraded (selector-covers-other-workload)',
      'legacy-admission.example.com: healthy, doctor: unknown (endpoint-of-no-pod)',
      'volumes.storage-operator.example.com: healthy, doctor: degraded (unready-addresses-published)',
    ]);
  });

  it('is a table; nothing is healthy that was not read', async () => {
    const [header, ...lines] = await rows();
    expect(header).to.deep.equal([
      'NAME',
      'KIND',
      'POLICY',
      'TIMEOUT',
      'SERVICE',
      'READY',
      'CERT-EXPIRES',
      'STATUS',
    ]);
    expect(lines.length).to.equal(list.items.length);
    const line = lines.find(([name]) => name === 'payments-policy/payments-policy.example.com');
    expect(line).to.deep.equal([
      'payments-policy/payments-policy.example.com',
      'validating',
      'Fail',
      '5s',
      'payments/payments-policy:443',
      '0/2',
      '2124-01-01(CA)',
      'failing (no-ready-endpoint)',
    ]);
    const states = new Set(lines.map((cells) => cells.at(-1)?.replace(/ \(.*/, '')));
    expect([...states].sort()).to.deep.equal(['failing', 'not probed', 'unknown']);
  });

  it('-o wide: rules, manager, and order of calls', async () => {
    const [header = [], ...lines] = await rows('-o', 'wide', '--sort-by', 'order');
    expect(header.slice(-4)).to.deep.equal(['INTERCEPTS', 'MANAGED-BY', 'RULES', 'ORDER']);
    const mutating = list.items.filter(({ kind }) => kind === 'mutating').length;
    const order = lines.map((cells) => cells.at(-1));
    expect(order.slice(0, mutating)).to.deep.equal(Array.from({ length: mutating }, (_, at) => `${at + 1}`));
    expect(order.slice(mutating).every((one) => one === '-')).to.equal(true);
  });

  it('--sort-by, --no-headers, -o name, names and filters, get', async () => {
    const sorted = await rows('--sort-by', 'status', '--no-headers');
    expect(sorted[0]?.at(-1)).to.match(/^failing/);
    expect(sorted.at(-1)?.at(-1)).to.equal('not probed');
    expect((await run('payments-policy', '-o', 'name')).stdout).to.equal(
      'validating/payments-policy/payments-policy.example.com\n',
    );
    const { stdout } = await inProcess(['get', '--kubeconfig', kubeconfig, '-n', 'payments', '-o', 'name']);
    expect(stdout).to.equal('validating/payments-policy/payments-policy.example.com\n');
    expect((await run('-l', 'no=where')).stdout).to.match(
      /^No webhook matches the namespace \(-n\) and labels \(-l\); \d+ others/,
    );
  });

  it('wraps columns on a narrow terminal: they stay aligned, and no line is wider', async () => {
    for (const width of [60, 80, 100, 120]) {
      const look = { width, colour: false, unicode: true, headers: true, folds: true };
      const lines = (await renderList(list, undefined, look)).trimEnd().split('\n');
      expect(lines.filter((line) => line.length > width)).to.deep.equal([]);
      const height = lines.length / (list.items.length + 1);
      const at = lines.slice(0, height).findIndex((line) => line.includes('SERVICE'));
      const column = lines[at]?.indexOf('SERVICE') ?? -1;
      const services = list.items.map((_, row) =>
        lines[(row + 1) * height + at]?.slice(column - 1, column + 1),
      );
      expect(services.every((start) => /^ \S/.test(start ?? ''))).to.equal(true);
    }
  });

  it('takes two lines for a row that is too wide, with the state on the first', async () => {
    const look = { width: 100, colour: false, unicode: true, headers: true, folds: true };
    const items = list.items.filter(({ webhook }) => /^(inject\.ca-injector|ingresses\.order)/.test(webhook));
    expect(await renderList({ ...list, items }, undefined, look)).to.equal(
      [
        'NAME                                             STATUS                          READY  KIND',
        '  POLICY  TIMEOUT  SERVICE                          CERT-EXPIRES',
        'ca-injector/inject.ca-injector.example.com       failing (service-port-missing)  2/2    mutating',
        '  Fail    5s       injector/ca-injector:443         2124-01-01(CA)',
        'order-policy/ingresses.order-policy.example.com  failing (service-missing)       0/0    validating',
        '  Fail    5s       orders/order-policy-webhook:443  2124-01-01(CA)',
        '',
      ].join('\n'),
    );
  });

  it('prints changed and deleted rows under the columns of the list', async () => {
    const look = { width: 200, colour: false, unicode: true, headers: true, folds: false, widths: [] };
    const [header = '', ...lines] = (await renderList(list, undefined, look)).split('\n');
    const [gone, changed, ...rest] = list.items;
    if (gone === undefined || changed === undefined) throw new Error('no rows');
    const now = { ...list, items: [{ ...changed, timeoutSeconds: 3 }, ...rest] };
    const items = changedRows(list, now);
    expect(items).to.deep.equal([
      { ...changed, timeoutSeconds: 3 },
      { ...gone, deleted: true },
    ]);
    expect(listSchemaErrors({ ...list, items })).to.deep.equal([]);
    const later = await renderList({ ...list, items }, undefined, { ...look, headers: false });
    const [first = '', second = ''] = later.split('\n');
    expect(first).to.equal(lines[1]?.replace(/\b\d+s {2}(?= *\S+\/)/, (found) => '3s'.padEnd(found.length)));
    expect(second.indexOf('deleted')).to.equal(header.indexOf('STATUS'));
  });

  it('exits with 3 if a list could not be read, and names it', async () => {
    const { code, stdout, stderr } = await run('--as', 'nobody');
    expect(code).to.equal(3);
    expect(stdout).to.equal('No webhooks found, but not everything could be read.\n');
    expect(stderr).to.equal(
      'not listed, forbidden: apiservices, customresourcedefinitions, mutatingwebhookconfigurations, namespaces and validatingwebhookconfigurations\nNext  kubectl webhook rbac list\n',
    );
  });

  it('has failing webhooks that block requests first, before those that are ignored, of all clusters', async () => {
    const look = { width: 300, colour: false, unicode: true, headers: false, folds: false, widths: [] };
    const failing = list.items.filter(({ verdict: { state } }) => state === 'failing');
    const [one] = failing;
    if (one === undefined) throw new Error('no webhook of the demo fails');
    const item = (webhook: string, effect: 'blocks' | 'fails-open', failurePolicy: 'Fail' | 'Ignore') => ({
      ...one,
      webhook,
      failurePolicy,
      verdict: { ...one.verdict, effect },
    });
    const unknown = (webhook: string, failurePolicy: 'Fail' | 'Ignore') => {
      const { verdict, ...rest } = item(webhook, 'blocks', failurePolicy);
      return { ...rest, verdict: { ...verdict, state: 'unknown' as const, because: [] } };
    };
    const [first, second] = [
      [item('a', 'fails-open', 'Ignore'), unknown('b', 'Ignore'), unknown('c', 'Fail')],
      [item('d', 'blocks', 'Fail')],
    ].map((items) => ({ ...list, items }));
    const text = [...(await renderLists([first, second] as WebhookList[], undefined, look))].join('');
    expect([...text.matchAll(/\/([a-d]) /g)].map(([, name]) => name)).to.deep.equal(['d', 'a', 'c', 'b']);
  });

  it('does not say that clusters without a readable list have no webhooks', async () => {
    const look = { width: 200, colour: false, unicode: true, headers: true, folds: false, widths: [] };
    const empty = { ...list, items: [], notLookedAt: [] };
    const unread = { ...empty, notLookedAt: [{ what: 'the cluster', why: 'unreachable' }] } as typeof list;
    const text = async (...lists: (typeof list)[]) =>
      [...(await renderLists(lists, undefined, look))].join('');
    expect(await text(empty, empty)).to.equal('No webhooks found.\n');
    expect(await text(empty, unread)).to.equal('No webhooks found, but not everything could be read.\n');
    expect(await text(empty, { ...empty, leftOut: 3 })).to.contain('3 others are left out');
  });
});
