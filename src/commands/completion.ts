import { Args, Command } from '@oclif/core';
import { installCompletion, installedCompletion } from '../cli/completion/install.ts';
import { shellScript, shells } from '../cli/completion/shells.ts';
import { argument } from '../cli/flags.ts';

export default class Completion extends Command {
  static override description =
    `kubectl completes "kubectl webhook" if the program kubectl_complete-webhook is on PATH. "install" writes it into FOLDER,
or next to kubectl-webhook; run it once after "kubectl krew install webhook". With the name of a shell, prints the lines
for its start-up file.`;
  static override examples = [
    'kubectl webhook completion install',
    'kubectl webhook completion install ~/bin',
    'kubectl webhook completion bash',
  ];
  static override args = {
    what: Args.string({
      name: 'SHELL|install',
      description: 'print the lines for a shell, or install',
      options: [...Object.keys(shells), 'install'],
      required: true,
      ignoreStdin: true,
    }),
    folder: argument('FOLDER', 'for install: a folder on PATH (default: that of kubectl-webhook)'),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    if (args.what !== 'install') {
      if (args.folder !== undefined) this.error(`unexpected argument "${args.folder}"`, { exit: 2 });
      process.stdout.write(shellScript(args.what, installedCompletion(process.env)));
      return;
    }
    const file = installCompletion(args.folder, process.env);
    process.stdout.write(
      `${file} was written. If your shell completes kubectl, it now also completes "kubectl webhook".\n` +
        `To set up a shell: kubectl webhook completion ${Object.keys(shells).join('|')}\n`,
    );
  }
}
