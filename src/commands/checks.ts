import { Command } from '@oclif/core';
import { closest } from '../cli/explain-error.ts';
import { argument, outputFlag } from '../cli/flags.ts';
import { writeFormatted } from '../cli/print.ts';
import { terminalLook } from '../cli/terminal.ts';
import { explainCheck, listChecks } from '../workflows/checks.ts';

/** Suggestions: ids with a common word, and the most similar one; at most five. */
function candidates(typed: string, ids: readonly string[]): readonly string[] {
  const words = typed.split(/[^a-z0-9]+/i).filter((word) => word.length > 2);
  const shared = (id: string): number => words.filter((word) => id.includes(word.toLowerCase())).length;
  const alike = closest(typed, ids);
  const related = ids.filter((id) => id !== alike && shared(id) > 0).sort((a, b) => shared(b) - shared(a));
  return [...(alike === undefined ? [] : [alike]), ...related].slice(0, 5);
}

export default class Checks extends Command {
  static override description =
    `Without ID, lists all checks in the order of the chain from the API server to the Pod. With ID, explains one check: why
it matters, what to do, all its messages, and references. Needs no cluster.`;
  static override examples = [
    'kubectl webhook checks',
    'kubectl webhook checks service-missing',
    'kubectl webhook checks -o json',
  ];
  static override args = {
    id: argument('ID', 'id of a check'),
  };
  static override flags = { output: outputFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Checks);
    const list = listChecks();
    const document = args.id === undefined ? list : explainCheck(args.id);
    if (document === undefined) {
      const near = candidates(
        args.id ?? '',
        list.checks.map(({ id }) => id),
      );
      const hint = near.length > 0 ? ['Similar checks:', ...near] : ['All checks: kubectl webhook checks'];
      this.error([`there is no check "${args.id}"`, ...hint].join('\n'), { exit: 2 });
    }
    const { renderChecks } = await import('../render/checks/render-checks.ts');
    await writeFormatted(flags.output, await renderChecks(document, flags.output, terminalLook()));
  }
}
