import { Args, Command, Flags } from '@oclif/core';
import { expect } from 'chai';
import { rootHelp } from '../../src/cli/cli.ts';
import { commandHelp } from '../../src/cli/command-help.ts';
import { commandTable } from '../../src/cli/command-table.ts';

class Example extends Command {
  static override description =
    'One sentence that the source\nbreaks.\n\nThe next paragraph:\n- first\n- second';
  static override strict = false;
  static override args = { callout: Args.string({ description: 'what to look at' }) };
  static override flags = {
    timeout: Flags.integer({ default: 80_000, defaultHelp: async () => '80s', description: 'longest time' }),
    output: Flags.string({ char: 'o', options: ['json', 'yaml'], description: 'format' }),
  };

  override async run(): Promise<void> {}
}

describe('commandHelp', () => {
  it('says what to type, what each flag does and what a default means', async () => {
    const entry = {
      name: 'example',
      summary: 'Look at an example',
      load: async () => ({ default: Example }),
    };
    expect(await commandHelp(entry, Example, 80)).to.equal(`Look at an example

USAGE
  $ kubectl webhook example [CALLOUT...] [flags]

ARGUMENTS
  [CALLOUT...]  what to look at

FLAGS
  -o, --output=<option>  format
                         <options: json|yaml>
      --timeout=<value>  [default: 80s] longest time

DESCRIPTION
  One sentence that the source breaks.

  The next paragraph:
  - first
  - second
`);
  });

  it('fits into 80 columns', async () => {
    const texts = commandTable.map(async (entry) => commandHelp(entry, (await entry.load()).default, 80));
    const lines = [rootHelp(commandTable), ...(await Promise.all(texts))].join('\n').split('\n');
    expect(lines.filter((line) => line.length > 80)).to.deep.equal([]);
  });
});
