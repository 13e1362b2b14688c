import { Args, Command, Flags } from '@oclif/core';
import { expect } from 'chai';
import { explainError } from '../../src/cli/explain-error.ts';
import { oclifConfig } from '../../src/cli/oclif-config.ts';

class Example extends Command {
  static override id = 'example';
  static override args = { callout: Args.string({ required: true, ignoreStdin: true }) };
  static override flags = {
    output: Flags.string({ options: ['json', 'yaml'] }),
    timeout: Flags.integer(),
    for: Flags.string({ dependsOn: ['output'] }),
  };

  override async run(): Promise<void> {
    const { args } = await this.parse(Example);
    if (args.callout === 'unknown') this.error('there is no callout "unknown"', { exit: 2 });
    if (args.callout === 'found') this.exit(1);
    if (args.callout === 'broken') throw new TypeError('x is\n  not a function');
    if (args.callout === 'hostile')
      this.error('the server said \u001b[2J\u202e\nerror: all is well', { exit: 2 });
  }

  /** oclif's own way to run it is protected. */
  async start(): Promise<void> {
    await this._run();
  }
}

async function ending(argv: string[], showStack = false) {
  const exitCode = process.exitCode;
  try {
    await new Example(argv, oclifConfig()).start();
  } catch (error) {
    return explainError(error, 'example', showStack);
  } finally {
    process.exitCode = exitCode; // oclif sets it
  }
  throw new Error('it did not fail');
}

describe('explainError', () => {
  const usage: readonly (readonly [argv: string[], sentence: string])[] = [
    [['a', '--timout=3'], 'unknown flag --timout; there is a similar one: --timeout'],
    [['a', '--kustomize'], 'unknown flag --kustomize'],
    [['a', '-x'], 'unknown flag -x'],
    [['a', 'b'], 'unexpected argument "b"'],
    [[], 'missing argument CALLOUT'],
    [['a', '--output', 'jsn'], 'invalid --output "jsn": must be one of json, yaml'],
    [['a', '--output'], 'flag --output expects one of these values: json, yaml'],
    [['a', '--timeout', 'soon'], '--timeout: expected an integer but received: soon'],
    [['a', '--for', 'x'], '--for requires --output'],
  ];
  for (const [argv, sentence] of usage) {
    it(`${argv.join(' ') || 'no argument'}: ${sentence}`, async () => {
      expect(await ending(argv)).to.deep.equal({
        text: `error: ${sentence}\nSee "kubectl webhook example --help".\n`,
        exitCode: 2,
      });
    });
  }

  it('prints the sentence of a command unchanged', async () => {
    const text = 'error: there is no callout "unknown"\n';
    expect(await ending(['unknown'])).to.deep.equal({ text, exitCode: 2 });
  });

  it('prints nothing when a command ends with an exit code', async () => {
    expect(await ending(['found'])).to.deep.equal({ text: '', exitCode: 1 });
  });

  it('reports an exception as an internal error in one line, with the stack only on request', async () => {
    const line = 'internal error: x is not a function; please report it (-v 6 prints the stack)\n';
    expect(await ending(['broken'])).to.deep.equal({ text: line, exitCode: 2 });
    expect((await ending(['broken'], true)).text).to.match(
      /please report it.*\nTypeError: [\s\S]*at Example\.run/,
    );
  });

  it('escapes control characters, and indents lines of a server', async () => {
    expect((await ending(['hostile'])).text).to.equal(
      'error: the server said \\u{1b}[2J\\u{202e}\n  error: all is well\n',
    );
  });

  it('uses an exitCode of any error', () => {
    const error = Object.assign(new Error('the token has expired'), { exitCode: 2 });
    expect(explainError(error, undefined, false)).to.deep.equal({
      text: 'error: the token has expired\n',
      exitCode: 2,
    });
  });

  it('suggests jq for the templates of kubectl', async () => {
    const text = async (value: string) => (await ending(['x', `--output=${value}`])).text.split('\n')[0];
    expect(await text('jsonpath={.callouts[*].configuration}{"\\n"}')).to.match(
      / -o json \| jq -r '\.callouts\[\]\.configuration'$/,
    );
    expect(await text('custom-columns=NAME:.configuration,STATE:.verdict.state')).to.match(
      / jq -r '\.callouts\[\] \| \[\.configuration, \.verdict\.state\] \| @tsv'$/,
    );
    expect(await text('go-template={{.kind}}')).to.match(/ jq -r \.kind$/);
    expect(await text('jsonpath={range .callouts[*]}{.kind}{end}')).to.match(/ jq -r \.$/);
    expect(await text('bogus')).to.match(/must be one of json, yaml$/);
  });
});
