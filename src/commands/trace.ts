import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { argument, choice, choiceOr, documentOutputFlag, fileFlag, textFlag } from '../cli/flags.ts';
import { clusterOptions, readingFlags } from '../cli/kube-flags.ts';
import { printDocument } from '../cli/print.ts';
import { reportDocument } from '../render/data-formats/document.ts';

export default class Trace extends Command {
  static override description =
    `Follows one request through admission: which webhooks it matches and why, and in which order they are called.
Shows what each patches or denies, and whether the request would be admitted. Each matching webhook is called once, in
a dry run. The API server then makes a dry run of the same object, and both are compared. Nothing is changed.

The request creates the object in FILE, or updates it if it exists. With KIND/NAME, the request creates a stored object
again. --as sets the user of the request. The cluster is still read with your own user.

Exit codes: 0 admitted; 1 denied or failed; 2 wrong usage, or no cluster; 3 unknown.`;
  static override examples = [
    'kubectl webhook trace -f pod.yaml',
    'kubectl webhook trace deployment/cart -n shop --operation UPDATE',
    'kubectl webhook trace pod/cart-0 -n shop --field spec.schedulerName',
    'kubectl webhook trace -f pod.yaml -n shop --as jane',
  ];
  static override args = {
    object: argument('KIND/NAME', 'a stored object, in the namespace of -n'),
  };
  static override flags = {
    filename: fileFlag('manifest with the object of the request; - for standard input'),
    operation: choice(['CREATE', 'UPDATE', 'DELETE'], 'operation of the request'),
    field: textFlag('TEXT', 'name the webhook that sets this field: spec.schedulerName'),
    probe: choiceOr('review', ['none', 'review'], 'none calls no webhook: matching alone'),
    yes: Flags.boolean({
      char: 'y',
      description: 'confirm that the data of a Secret may be sent to webhooks',
    }),
    output: documentOutputFlag,
    ...readingFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Trace);
    const { filename, operation, field } = flags;
    if ((args.object === undefined) === (filename === undefined))
      this.error('trace requires either KIND/NAME or -f FILE', { exit: 2 });
    const run = startRun();
    const { exitCodeOf, traceFor } = await import('../workflows/trace/trace.ts');
    const report = await run.result(
      traceFor(
        {
          ...(filename === undefined ? { stored: args.object ?? '' } : { file: filename }),
          operation,
          field,
          probe: flags.probe,
          secrets: flags.yes,
          now: new Date(),
          onStage: run.stage,
        },
        clusterOptions(flags, flags.timeout, run.interrupted),
      ),
    );
    await printDocument(reportDocument(report), flags.output, {
      text: async (look) => (await import('../render/trace/render-trace.ts')).renderTrace(report, look),
    });
    process.exitCode = run.exitCode(exitCodeOf(report));
  }
}
