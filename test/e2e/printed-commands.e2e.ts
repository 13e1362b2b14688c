import { expect } from 'chai';
import { commandsOn, examine, othersOf, screens, textsOf } from '../render/first-screens.ts';
import { untilAsked } from '../support/asked.ts';
import { fileWith, plugin } from '../support/plugin.ts';

const changing: readonly string[] = ['fix', 'failopen', 'failclosed', 'undo'];

/** Runs a copied line; questions need a terminal. */
async function pasted(words: readonly string[], env: Readonly<Record<string, string>>) {
  if (changing.includes(words[0] ?? '')) return untilAsked(words, env);
  const { code, stdout, stderr } = await plugin(words, env);
  return { code, asked: false, output: `${stderr}${stdout}` };
}

/** How a line ended, if it neither works nor prompts. Words in upper case are placeholders. */
async function wrongIn(line: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)]
    .map(([, quoted, word]) => quoted ?? word ?? '')
    .slice(2);
  const { code, asked, output } = await pasted(words, env);
  const isMarked = words.some((word) => /^[A-Z]+$/.test(word));
  const found = ['doctor', 'cert-check'].includes(words[0] ?? '') && (code === 1 || code === 3);
  return isMarked || code === 0 || (asked && code === 130) || found ? [] : [`${line}: ${code} ${output}`];
}

/** Of lines that differ only in a number, such as those of many similar webhooks, one. */
const shapesOf = (lines: readonly string[]): readonly string[] => [
  ...new Map(lines.map((line) => [line.replace(/\d+/g, 'N'), line])).values(),
];

describe('commands on first screens work as printed, or prompt', function () {
  this.timeout(600_000);
  for (const [name, screen] of Object.entries(screens))
    it(name, async () => {
      const { start, user } = screen;
      const server = await start();
      try {
        const kubeconfig = fileWith(user === undefined ? server.kubeconfig() : server.kubeconfig(user));
        const report = await examine(kubeconfig, screen);
        const printed = commandsOn([await textsOf(report), ...(await othersOf(kubeconfig))].join('\n'));
        const left = [...shapesOf(printed.filter((line) => line.startsWith('kubectl webhook ')))];
        if (name !== 'nothing-broken') expect(left).to.not.be.empty;
        const wrong: string[] = [];
        const work = async (): Promise<void> => {
          for (let line = left.pop(); line !== undefined; line = left.pop())
            wrong.push(...(await wrongIn(line, { KUBECONFIG: kubeconfig })));
        };
        await Promise.all([work(), work(), work()]);
        expect(wrong).to.deep.equal([]);
      } finally {
        await server.stop();
      }
    });
});
