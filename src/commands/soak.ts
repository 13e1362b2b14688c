import { spawn } from 'node:child_process';
import { Command, Flags } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import { durationFlag, fileFlag, output, requiredArgument, textFlag } from '../cli/flags.ts';
import { clusterOptions, kubeFlags } from '../cli/kube-flags.ts';
import { printDocument } from '../cli/print.ts';
import { onCluster } from '../workflows/cluster/with-cluster.ts';
import { earlierSoak, fileText } from '../workflows/soak/read-files.ts';
import { soak } from '../workflows/soak/soak.ts';

/**
 * Runs a command in the user's shell. Its output goes to stderr, since stdout is for the document. `stopped`
 * ends it. Resolves with its exit code, null if it was ended by a signal or could not start.
 */
function runMeanwhile(command: string, stopped: AbortSignal): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 2, 2] });
    stopped.addEventListener('abort', () => child.kill(), { once: true });
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
}

const mostPerSecond = 50;
const longest = 10 * 60_000;
/** Milliseconds for reading the cluster before the load, and for the last responses after it. */
const around = 90_000;

export default class Soak extends Command {
  static override description =
    `Sends create requests with dryRun=All, which call every webhook and store nothing, for a time or while a command runs.
Counts, second by second, the requests that the webhook checked, that were admitted unchecked, that failed and that were
slow. Only your own command changes anything.

The object must be one that the webhook denies or changes: give it with -f, or let soak choose one. A webhook that
declares side effects is not called. At most ${mostPerSecond} requests per second for 10 minutes. Ctrl-C stops it and reports the numbers so far.

Exit codes: 0 every request was checked; 1 some were admitted unchecked, or failed; 2 wrong usage, no cluster, or no
suitable object; 130 interrupted.`;
  static override examples = [
    'kubectl webhook soak my-webhooks --for 30s',
    'kubectl webhook soak my-webhooks -f denied.yaml --during ./rollout.sh',
    'kubectl webhook soak my-webhooks --during ./rollout.sh -o json > before.json',
    'kubectl webhook soak my-webhooks --during ./rollout.sh --compare before.json',
    'kubectl webhook soak my-webhooks --during ./rollout.sh -o html > soak.html',
  ];
  static override args = {
    webhook: requiredArgument('WEBHOOK', 'the webhook, by any of its names'),
  };
  static override flags = {
    output: output(['json', 'yaml', 'html'], 'print one document; html is a self-contained page'),
    during: textFlag('COMMAND', 'shell command to run during the soak, which ends soon after it'),
    rate: Flags.integer({
      default: 20,
      helpValue: 'NUMBER',
      min: 1,
      max: mostPerSecond,
      description: 'requests per second',
    }),
    for: durationFlag('2m', 'duration; with --during: the longest duration'),
    filename: fileFlag('file with the object to send, - for standard input', { helpValue: 'OBJECT' }),
    compare: textFlag('FILE', 'compare with an earlier soak, saved with -o json'),
    ...kubeFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Soak);
    if (flags.for > longest) this.error('invalid --for: must be at most 10m', { exit: 2 });
    const earlier = flags.compare === undefined ? undefined : await earlierSoak(flags.compare);
    const object = flags.filename === undefined ? undefined : await fileText(flags.filename);
    const run = startRun();
    const { interrupted } = run;
    const command = flags.during;
    // A progress line would mix with the output of the command, which may not end its last line.
    const runCommand = async (line: string): Promise<number | null> => {
      run.stop();
      const code = await runMeanwhile(line, stopped);
      if (process.stderr.isTTY) process.stderr.write('\n');
      return code;
    };
    const ended = new AbortController();
    const stopped = AbortSignal.any([interrupted, ended.signal]);
    const report = await run.result(
      onCluster(clusterOptions(flags, flags.for + around), (reader, prober) =>
        soak(reader, prober, {
          callout: args.webhook,
          namespace: flags.namespace,
          rate: flags.rate,
          length: flags.for,
          interrupted,
          now: new Date(),
          onStage: run.stage,
          object,
          during: command === undefined ? undefined : { command, run: () => runCommand(command) },
        }),
      ),
    );
    ended.abort();
    await printDocument(report, flags.output, {
      text: async (look) => (await import('../render/soak/render-soak.ts')).renderSoak(report, look, earlier),
      html: async () => (await import('../render/html/soak-html.ts')).renderSoakHtml(report, earlier),
    });
    const { unchecked, failed } = report.totals;
    process.exitCode = run.exitCode(unchecked + failed > 0 ? 1 : 0);
  }
}
