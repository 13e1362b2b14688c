import { Args, Command, Flags } from '@oclif/core';
import { expect } from 'chai';
import { type CompletionContext, grammarOf, readLine } from '../../../src/cli/completion/line.ts';

class Sample extends Command {
  static override strict = false;
  static override args = { callout: Args.string({ name: 'WEBHOOK' }) };
  static override flags = {
    output: Flags.string({ char: 'o', options: ['json', 'yaml'] }),
    check: Flags.string({ helpValue: 'ID', multiple: true }),
    context: Flags.string({ helpValue: 'NAME' }),
    all: Flags.boolean(),
  };
  async run(): Promise<void> {}
}

const grammar = grammarOf(Sample);
const asked = (line: string): CompletionContext => readLine(line.split(' '), grammar).asked;
const value = (kind: string, typed = '', options: readonly string[] = []): CompletionContext => ({
  what: 'value',
  ...{ kind, typed, options },
});

describe('the word at the cursor', () => {
  const cases: readonly (readonly [line: string, asked: CompletionContext])[] = [
    ['', value('WEBHOOK')],
    ['gate', value('WEBHOOK', 'gate')],
    ['one two thr', value('WEBHOOK', 'thr')],
    ['--a', { what: 'flag', typed: '--a' }],
    ['-', { what: 'flag', typed: '-' }],
    ['--check ', value('ID')],
    ['--check service', value('ID', 'service')],
    ['--check=service', value('ID', 'service')],
    ['--context ', value('CONTEXT')],
    ['-o ', value('OUTPUT', '', ['json', 'yaml'])],
    ['--output=y', value('OUTPUT', 'y', ['json', 'yaml'])],
    ['--all ', value('WEBHOOK')],
    ['-ojson ', value('WEBHOOK')],
    ['--context prod ', value('WEBHOOK')],
    ['--no-such-flag ', value('WEBHOOK')],
    ['--no-such=', { what: 'flag', typed: '--no-such=' }],
    ['-- --a', value('WEBHOOK', '--a')],
  ];
  for (const [line, expected] of cases) {
    it(`"${line}"`, () => {
      expect(asked(line)).to.deep.equal(expected);
    });
  }

  it('flags before the cursor count, in any form', () => {
    const { given } = readLine(
      ['--context', 'prod', '--output=json', '--all', '-oyaml', '--check', ''],
      grammar,
    );
    expect(given).to.deep.equal({ context: 'prod', output: 'yaml' });
  });

  it('a command with one argument gets no suggestions for a second', () => {
    expect(readLine(['one', ''], { ...grammar, open: false }).asked).to.deep.equal(value(''));
  });
});
