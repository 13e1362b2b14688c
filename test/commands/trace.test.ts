import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { RequestTrace } from '../../src/diagnose/report.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { traceSchemaErrors } from '../support/schema.ts';

const configMap = (metadata: object, kind = 'ConfigMap') =>
  fileWith(JSON.stringify({ apiVersion: 'v1', kind, metadata }), 'object.json');

describe('kubectl webhook trace', () => {
  const servers = new Map<string, DemoApiServer>();
  before(async () => {
    for (const slug of ['crash-loop', 'leader-gated-cache', 'healthy']) {
      const parts = scenarios.flatMap((one) => (one.slug === slug ? one.parts : []));
      servers.set(slug, await startApiServer(clusterContent(parts, new Date())));
    }
  });
  after(() => Promise.all([...servers.values()].map((server) => server.stop())));

  const kubeconfigOf = (slug: string) => fileWith(servers.get(slug)?.kubeconfig() ?? '');
  const run = (slug: string, ...args: string[]) =>
    inProcess(['trace', ...args, '--kubeconfig', kubeconfigOf(slug)]);
  const traced = async (slug: string, ...args: string[]) => {
    const { code, stdout, stderr } = await run(slug, ...args, '-o', 'json');
    expect(stdout, stderr).to.not.equal('');
    const document = JSON.parse(stdout) as RequestTrace;
    expect(traceSchemaErrors(document)).to.deep.equal([]);
    return { code, document };
  };

  it('predicts the failure that the dry run then shows', async () => {
    const file = configMap({ name: 'basket', namespace: 'payments' });
    const { code, document } = await traced('crash-loop', '-f', file);
    expect(document.result).to.equal('failed');
    expect(document.steps.map(({ phase, outcome, effect }) => [phase, outcome, effect])).to.deep.equal([
      ['validating', 'failed', 'blocks'],
    ]);
    expect(document.messages[0]).to.include('failed calling webhook "payments-policy.example.com"');
    expect(document.dryRun?.agrees).to.equal(true);
    expect(code).to.equal(1);
  });

  for (const kind of ['svc', 'Services', 'service.'])
    it(`takes ${kind} as kubectl does`, async () => {
      const { document } = await traced(
        'crash-loop',
        ...[`${kind}/payments-policy`, '-n', 'payments', '--probe', 'none'],
      );
      expect(document.request).to.deep.include({ resource: 'services', name: 'payments-policy' });
    });

  it('is unknown if other Pods may respond differently', async () => {
    const labels = { 'example.com/tenant': 'shop' };
    const { code, document } = await traced(
      'leader-gated-cache',
      '-f',
      configMap({ name: 'basket', namespace: 'cart', labels }),
    );
    expect(document.steps.map(({ webhook, called }) => [webhook, called])).to.have.lengthOf(1);
    expect(document.result).to.equal('unknown');
    expect(code).to.equal(3);
  });

  it('only matches with --probe none, and lists what does not match with the reason', async () => {
    const file = configMap({ name: 'basket', namespace: 'cart' });
    const { code, document } = await traced('leader-gated-cache', '-f', file, '--probe', 'none');
    expect(document.steps.every(({ called }) => !called)).to.equal(true);
    expect(document.noDryRun).to.include('--probe none');
    expect(code).to.be.oneOf([0, 3]);
  });

  it('sends no data of a Secret without a flag', async () => {
    const file = configMap({ name: 'key', namespace: 'payments' }, 'Secret');
    const { document } = await traced('crash-loop', '-f', file);
    expect(document.noDryRun).to.include('--yes');
    expect(document).to.not.have.property('object');
  });

  for (const [what, args, words] of [
    ['an unknown kind', ['gadget/x'], 'this cluster serves no resource gadget'],
    ['nothing', [], 'trace requires either KIND/NAME or -f FILE'],
    ['an object that is not there', ['configmap/none', '-n', 'payments'], 'there is no ConfigMap none'],
    ['a path that is none', ['configmap/none', '--field', 'a[b'], '"a[b" is not a field path'],
    ['a Secret by name', ['secret/x', '-n', 'payments'], 'the data of Secrets are not read'],
  ] as const) {
    it(`refuses ${what} with one sentence and exit code 2`, async () => {
      const { code, stdout, stderr } = await run('crash-loop', ...args);
      expect(stderr).to.include(words);
      expect(stdout).to.equal('');
      expect(code).to.equal(2);
    });
  }

  it('prints file and line of a syntax error, and a kind that is not served', async () => {
    const file = fileWith('kind: [\n  a', 'broken.yaml');
    const broken = await plugin(['trace', '-f', file, '--kubeconfig', kubeconfigOf('crash-loop')]);
    expect(broken.stderr).to.match(/broken\.yaml, line \d+: /);
    const unknown = await run('crash-loop', '-f', configMap({ name: 'x' }, 'Gadget'));
    expect(unknown.stderr).to.include('this cluster serves no Gadget of v1');
    expect([broken.code, unknown.code]).to.deep.equal([2, 2]);
  });
});
