import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith } from '../support/plugin.ts';
import { schemaErrors } from '../support/schema.ts';

const name = 'tenant-records';
const configMap = (metadata: object, kind = 'ConfigMap') =>
  fileWith(JSON.stringify({ apiVersion: 'v1', kind, metadata }), 'object.json');
const labels = { 'example.com/tenant': 'shop' };

describe('kubectl webhook doctor -f', () => {
  let server: DemoApiServer;
  before(async () => {
    const parts = scenarios.flatMap((one) => (one.slug === 'leader-gated-cache' ? one.parts : []));
    server = await startApiServer(clusterContent(parts, new Date()));
  });
  after(() => server.stop());

  const run = (...args: string[]) =>
    inProcess(['doctor', ...args, '--kubeconfig', fileWith(server.kubeconfig())]);
  const report = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(name, ...args, '-o', 'json');
    expect(stdout, stderr).to.not.equal('');
    const document = JSON.parse(stdout) as DoctorReport;
    expect(schemaErrors(document)).to.deep.equal([]);
    const [callout] = document.callouts;
    if (callout === undefined) throw new Error('there is no webhook');
    return { code, document, callout };
  };

  it('sends the object to every replica, and compares the responses', async () => {
    const file = configMap({ name: 'basket', namespace: 'cart', labels });
    const { callout, document } = await report('-f', file, '--samples', 'none');
    const object = { kind: 'ConfigMap', namespace: 'cart', name: 'basket' };
    expect(callout.samples?.map(({ by }) => by)).to.deep.equal(['made-up', 'given']);
    const [, given] = callout.samples ?? [];
    expect(given).to.deep.include({ object, operation: 'CREATE' });
    expect(given?.dryRun).to.have.property('status');
    const outcomes = callout.replicas.map(({ leader, answers = [] }) => [leader, answers.at(-1)?.outcome]);
    expect(outcomes).to.have.deep.members([
      [true, 'allowed'],
      [false, 'denied'],
      [false, 'denied'],
    ]);
    expect(callout.verdict.because[0]).to.equal('leader-gated-answer');
    expect(document.findings[0]?.message).to.include('ConfigMap cart/basket');
  });

  it('uses stored objects if none is given, and none if --no-samples is set', async () => {
    const [named, without] = await Promise.all([report(), report('--samples', 'none')]);
    expect(named.callout.samples?.map(({ by }) => by)).to.deep.equal(['made-up', 'stored']);
    expect(named.callout.verdict.state).to.equal('degraded');
    expect(without.callout.samples).to.equal(undefined);
    expect(without.callout.verdict.state).to.equal('healthy');
  });

  it('reports which part of the webhook does not match, and that this object was not sent', async () => {
    const file = fileWith('apiVersion: v1\nkind: Service\nmetadata: { name: cart, namespace: cart }\n');
    const { code, callout, document } = await report('-f', file, '--samples', 'none');
    expect(callout.samples?.at(-1)?.notCalled).to.match(/`rules` do not match: none has CREATE of services/);
    expect(document.notLookedAt.map(({ what, why }) => [what, why])).to.deep.include([
      'Service cart/cart',
      'not called',
    ]);
    expect(code).to.equal(3);
  });

  for (const [what, args, sentence] of [
    ['a kind that is not served', [name, '-f', configMap({ name: 'a' }, 'Widget')], /serves no Widget of v1/],
    ['a syntax error', [name, '-f', fileWith('a: 1\nb: [\n')], /kubeconfig, line [23]: /],
    [
      'a Secret without --yes',
      [name, '-f', configMap({ name: 'a' }, 'Secret')],
      /Secret a .*data[\s\S]*--yes/,
    ],
    ['a file that is not there', [name, '-f', '/nowhere.yaml'], /nowhere\.yaml cannot be read/],
    ['no webhook', ['-f', configMap({ name: 'a' })], /-f takes the name of one webhook/],
  ] as const)
    it(`refuses ${what} with exit code 2`, async () => {
      const { code, stdout, stderr } = await run(...args);
      expect(stderr).to.match(sentence);
      expect(stdout).to.equal('');
      expect(code).to.equal(2);
    });

  it('prints the error that the API server gets from a Pod without a listener, for each object', async () => {
    const parts = scenarios.flatMap((one) => (one.slug === 'leader-gated-listener' ? one.parts : []));
    const leader = await startApiServer(clusterContent(parts, new Date()));
    const args = ['gang-policy', '-f', configMap({ name: 'basket', namespace: 'cart' })];
    const { stdout } = await inProcess(['doctor', ...args, '--kubeconfig', fileWith(leader.kubeconfig())]);
    await leader.stop();
    const text = stdout.replace(/\s+/g, ' ');
    expect(text).to.match(/cart\/basket \(-f\): .*failed by \S+: dial tcp \S+: connect: connection refused/);
    expect(text).to.not.match(/error forwarding port/);
  });
});
