import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { schemaErrors } from '../support/schema.ts';

const program = new URL('../../bin/kubectl-webhook', import.meta.url).pathname;

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

describe('kubectl webhook mcp with the client of the SDK', function () {
  this.timeout(120_000);
  let server: DemoApiServer;
  let client: Client;
  let kubeconfig: string;

  before(async () => {
    const parts = scenarios
      .filter(({ slug }) => ['crash-loop', 'service-missing', 'webhook-name-twice'].includes(slug))
      .flatMap((one) => one.parts);
    server = await startApiServer(clusterContent(parts, new Date()));
    kubeconfig = fileWith(server.kubeconfig());
    client = new Client({ name: 'test', version: '1' });
    const { PATH = '', HOME = '/tmp' } = process.env;
    await client.connect(
      new StdioClientTransport({
        command: program,
        args: ['mcp', '--kubeconfig', kubeconfig],
        env: { PATH, HOME, LANG: 'C.UTF-8' },
      }),
    );
  });
  after(async () => {
    await client.close();
    await server.stop();
  });

  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> =>
    (await client.callTool({ name, arguments: args })) as unknown as Answer;
  // biome-ignore lint/suspicious/noExplicitAny: the document of any tool
  const document = async (name: string, args: Record<string, unknown> = {}): Promise<any> => {
    const { content, isError } = await call(name, args);
    expect(isError ?? false, content[0]?.text).to.equal(false);
    return JSON.parse(content[0]?.text ?? '');
  };

  it('offers read-only tools with output schemas', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.deep.equal([
      'doctor',
      'explain',
      'list',
      'trace',
      'cert_check',
      'what_if',
      'checks',
    ]);
    for (const { annotations, inputSchema, name } of tools) {
      expect(annotations?.readOnlyHint, name).to.equal(true);
      expect(inputSchema.additionalProperties, name).to.equal(false);
    }
    expect(client.getInstructions()).to.match(/do not run them/);
  });

  it('returns the short report of doctor, and the full one of named callouts', async () => {
    const short = await document('doctor', { probe: 'none' });
    const { stdout } = await plugin(['doctor', '--probe', 'none', '-o', 'json', '--kubeconfig', kubeconfig]);
    const whole = JSON.parse(stdout);
    expect(short.summary).to.deep.equal(whole.summary);
    const broken = whole.callouts.filter(
      ({ verdict }: { verdict: { state: string } }) => verdict.state !== 'healthy',
    );
    expect(short.callouts).to.have.length(broken.length);
    expect(JSON.stringify(short).length).to.be.lessThan(stdout.length / 4);
    const [first] = short.callouts;
    const named = await document('doctor', { probe: 'none', webhooks: [first.id] });
    expect(schemaErrors(named)).to.deep.equal([]);
    expect(named.callouts).to.have.length(1);
    expect(named.callouts[0].verdict.state).to.equal(first.verdict.state);
  });

  it('returns a remedy as a command for a person', async () => {
    const { findings } = await document('doctor');
    const commands = findings.flatMap(({ next = [] }: { next?: readonly { command: string }[] }) =>
      next.map(({ command }) => command),
    );
    expect(commands.join('\n')).to.match(/^kubectl webhook (failopen|fix) .* --kubeconfig /m);
  });

  it('lists, compares certificates, describes checks', async () => {
    const list = await document('list');
    expect(list.total).to.equal(list.items.length);
    expect(list.items[0].verdict.state).to.equal('failing');
    const certificates = await document('cert_check', { probe: 'none' });
    expect(certificates.summary.callouts.total).to.equal(list.total);
    expect((await document('checks')).checks.length).to.be.greaterThan(80);
    expect((await document('checks', { id: 'service-missing' })).why).to.be.a('string');
  });

  it('explains a text, with the cause that is true now', async () => {
    const text =
      'Internal error occurred: failed calling webhook "payments-policy.example.com": failed to call webhook: Post "https://payments-policy.payments.svc:443/validate?timeout=5s": dial tcp 10.0.0.1:443: connect: connection refused';
    const { matches, cluster } = await document('explain', { text });
    expect(matches[0].webhook).to.equal('payments-policy.example.com');
    expect(cluster.because[0]).to.equal('replica-crash-looping');
    // Not standard input, which the protocol uses.
    expect((await document('explain', { text: '-', cluster: false })).matches).to.deep.equal([]);
  });

  it('traces a request, and predicts a failure', async () => {
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n';
    const trace = await document('trace', { manifest, probe: 'none' });
    expect(trace.kind).to.equal('RequestTrace');
    expect(trace.request.resource).to.equal('configmaps');
    const report = await document('what_if', { down: ['each'], probe: 'none' });
    expect(report.ranking.length).to.be.greaterThan(0);
  });

  it('returns errors as sentences, and continues', async () => {
    const faults: readonly [string, Record<string, unknown>, RegExp][] = [
      ['doctor', { webhooks: ['no-such-webhook'] }, /no-such-webhook/],
      ['doctor', { context: 'nowhere' }, /no context "nowhere"/],
      ['doctor', { kubeconfig: '/etc/shadow' }, /kubeconfig/],
      ['trace', {}, /either object or manifest/],
      ['what_if', { set: ['x.caBundle=/etc/shadow'] }, /file/],
      ['checks', { id: 'no-such-check' }, /no check "no-such-check"/],
    ];
    for (const [name, args, words] of faults) {
      const { isError, content } = await call(name, args);
      expect(isError, name).to.equal(true);
      expect(content[0]?.text).to.match(words);
    }
    expect((await document('list')).kind).to.equal('WebhookList');
  });

  it('handles several requests at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => document('list')));
    expect(new Set(answers.map(({ total }) => total)).size).to.equal(1);
  });

  it('writes only the protocol to stdout, and ends with its input', async () => {
    const { code, stdout, stderr } = await plugin(['mcp', '--kubeconfig', kubeconfig]);
    expect({ code, stdout, stderr }).to.deep.equal({ code: 0, stdout: '', stderr: '' });
  });
});
