import { Args, Command, Flags } from '@oclif/core';
import { expect } from 'chai';
import { rootHelp } from '../../src/cli/cli.ts';
import { commandHelp } from '../../src/cli/command-help.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { kubeFlags } from '../../src/cli/kube-flags.ts';

class Example extends Command {
  static override description =
    'One sentence that the source\nbreaks.\n\nThe next paragraph:\n- first\n- second';
  static override examples = ['kubectl webhook example all'];
  static override strict = false;
  static override args = { callout: Args.string({ description: 'what to look at' }) };
  static override flags = {
    timeout: Flags.integer({ default: 80_000, defaultHelp: async () => '80s', description: 'longest time' }),
    context: kubeFlags.context,
    output: Flags.string({ char: 'o', options: ['json', 'yaml'], description: 'format' }),
  };

  override async run(): Promise<void> {}
}

describe('commandHelp', () => {
  it('shows what to type, the flags and their defaults', async () => {
    const entry = {
      name: 'example',
      summary: 'Look at an example',
      load: async () => ({ default: Example }),
    };
    expect(await commandHelp(entry, Example, 80)).to.equal(`Look at an example

USAGE
  $ kubectl webhook example [CALLOUT...] [flags]

DESCRIPTION
  One sentence that the source breaks.

  The next paragraph:
  - first
  - second

EXAMPLES
  $ kubectl webhook example all

ARGUMENTS
  [CALLOUT...]  what to look at

FLAGS
  -o, --output=<option>  format
                         <options: json|yaml>
      --timeout=<value>  [default: 80s] longest time

kubectl's own flags work, too: see "kubectl webhook options".
`);
  });

  it('starts with a verb phrase of at most eight words', () => {
    const long = commandTable.filter(({ summary }) => summary.split(' ').length > 8);
    expect(long.map(({ summary }) => summary)).to.deep.equal([]);
  });

  it('fits into 80 columns', async () => {
    const texts = commandTable.map(async (entry) => commandHelp(entry, (await entry.load()).default, 80));
    const lines = [rootHelp(commandTable), ...(await Promise.all(texts))].join('\n').split('\n');
    expect(lines.filter((line) => line.length > 80)).to.deep.equal([]);
  });
});
