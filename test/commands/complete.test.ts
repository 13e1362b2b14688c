import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import { type CommandClass, commandTable } from '../../src/cli/command-table.ts';
import { valueSources } from '../../src/workflows/completion/values.ts';
import { inProcess } from '../support/in-process.ts';
import { compiledCode, fileWith } from '../support/plugin.ts';

/** The output for kubectl, parsed: words, and the directive. */
function completion(status: number | null, stdout: string, stderr: string) {
  const lines = stdout.trimEnd().split('\n');
  return {
    end: { status, stderr },
    directive: lines.at(-1),
    words: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''),
  };
}

async function complete(...words: string[]) {
  const { code, stdout, stderr } = await inProcess(['__complete', '--', ...words]);
  return completion(code, stdout, stderr);
}

const silent = { end: { status: 0, stderr: '' }, directive: ':4', words: [] };

const twoContexts = `apiVersion: v1
kind: Config
contexts:
- {name: prod, context: {cluster: c}}
- {name: 'arn:aws:eks:eu-1:1:cluster/prod', context: {cluster: c}}
- {name: '$(touch /tmp/x)', context: {cluster: c}}
clusters:
- {name: c, cluster: {server: 'https://127.0.0.1:1'}}
`;

describe('kubectl_complete-webhook', () => {
  it('is a script that kubectl runs', function () {
    if (process.platform === 'win32') this.skip(); // a script of sh
    const program = join(import.meta.dirname, '..', '..', 'bin', 'kubectl_complete-webhook');
    const home = mkdtempSync(join(tmpdir(), 'kubectl-webhook-home-'));
    const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: compiledCode };
    const { status, stdout, stderr } = spawnSync(program, ['doctor', '--fail'], { encoding: 'utf8', env });
    expect(completion(status, stdout, stderr)).to.deep.equal({
      ...silent,
      words: ['--fail-on'],
    });
  });

  it('completes commands', async () => {
    const { end, directive, words } = await complete('');
    expect({ end, directive }).to.deep.equal({ end: silent.end, directive: ':4' });
    expect(words).to.include.members([...commandTable.map(({ name }) => name), 'help']);
    expect((await complete('doc')).words).to.deep.equal(['doctor']);
    expect((await complete('help', 'doc')).words).to.deep.equal(['doctor']);
  });

  it('completes flags, their values, checks and scenarios', async () => {
    expect((await complete('doctor', '--fail')).words).to.deep.equal(['--fail-on']);
    expect((await complete('doctor', '--fail-on', '')).words).to.deep.equal(['error', 'warning', 'never']);
    expect((await complete('doctor', '--fail-on=w')).words).to.deep.equal(['warning']);
    expect((await complete('checks', '')).words).to.deep.equal(catalogue.map(({ meta }) => meta.id));
    expect((await complete('doctor', '--skip', 'service-mis')).words).to.deep.equal(['service-missing']);
    expect((await complete('demo', 'crash')).words).to.deep.equal(['crash-loop']);
    expect((await complete('completion', 'f')).words).to.deep.equal(['fish']);
  });

  it('leaves file names to the shell', async () => {
    expect(await complete('doctor', '--kubeconfig', '')).to.include({ directive: ':0' });
  });

  it('completes a list of contexts after its last comma', async () => {
    const kubeconfig = fileWith(twoContexts);
    expect((await complete('list', '--kubeconfig', kubeconfig, '--contexts', 'prod,a')).words).to.deep.equal([
      'prod,arn:aws:eks:eu-1:1:cluster/prod',
    ]);
  });

  it('completes contexts of the kubeconfig, and passes on no shell syntax', async () => {
    const kubeconfig = fileWith(twoContexts);
    expect((await complete('doctor', '--kubeconfig', kubeconfig, '--context', '')).words).to.deep.equal([
      'prod',
      'arn:aws:eks:eu-1:1:cluster/prod',
    ]);
  });

  it('prints nothing if nothing is known', async () => {
    const kubeconfig = fileWith(twoContexts);
    expect(await complete('doctor', '--kubeconfig', kubeconfig, '--context', 'prod', '-n', '')).to.deep.equal(
      silent,
    );
    for (const words of [
      ['nonsense', ''],
      ['doctor', '--kubeconfig=/nowhere', '--context', ''],
    ])
      expect(await complete(...words)).to.deep.equal(silent);
  });
});

describe('values of flags and arguments', () => {
  /** Free text without suggestions. Secrets are never listed, so NAMESPACE/NAME has none. */
  const free =
    /^(DURATION|URL|TOKEN|UID|GROUP|LEVEL|NUMBER|TEXT|AS|USERNAME|PASSWORD|SERVER|TLS-SERVER-NAME|FILE|FOLDER|HOST|HOST:PORT|IMAGE|NAMESPACE:NAME|NAMESPACE\/NAME|\d+[DHMS]|KIND\/NAME|NAME|KEY=VALUE|COMMAND|RATE|OBJECT)$/;

  async function kinds({ load }: (typeof commandTable)[number]): Promise<readonly string[]> {
    const { default: command }: { default: CommandClass } = await load();
    const flags = Object.entries({ ...command.baseFlags, ...command.flags }).flatMap(([name, flag]) => {
      if (flag.type !== 'option' || (flag.options?.length ?? 0) > 0) return [];
      const told = Array.isArray(flag.helpValue) ? flag.helpValue[0] : flag.helpValue;
      return [(told === undefined || told === 'NAME' ? name : told).toUpperCase()];
    });
    const args = Object.entries(command.args)
      .filter(([, { options }]) => options === undefined)
      .map(([name, arg]) => (arg.name ?? name).toUpperCase());
    return [...flags, ...args];
  }

  for (const entry of commandTable) {
    it(`${entry.name}: is completed, or is free text`, async () => {
      const unknown = (await kinds(entry)).filter((kind) => !(kind in valueSources) && !free.test(kind));
      expect(unknown, 'add a source to workflows/completion/values.ts').to.deep.equal([]);
    });
  }
});
