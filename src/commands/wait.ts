import { Command } from '@oclif/core';
import { startRun } from '../cli/command-run.ts';
import {
  calloutArgument,
  documentOutputFlag,
  durationFlag,
  filterFlags,
  filterOf,
  probeLevel,
} from '../cli/flags.ts';
import { clusterOptions, kubeFlags, sameClusterFlags } from '../cli/kube-flags.ts';
import { printDocument } from '../cli/print.ts';
import { harmless } from '../render/text/harmless.ts';
import type { Look } from '../render/text/look.ts';
import { CannotStart } from '../workflows/cluster/cannot-start.ts';
import { type WaitResult, waitFor } from '../workflows/wait.ts';

/** Time limit of one examination, in milliseconds. */
const examinationTime = 80_000;

/** One line, and doctor's report if the condition was not met. */
async function waitedText({ wait, report }: WaitResult, look: Look): Promise<string> {
  const seconds = `${(wait.waitedMs / 1000).toFixed(1)} s`;
  if (wait.succeeded) return `The next call succeeds (waited ${seconds}).\n`;
  if (report === undefined) return `${harmless(wait.waitsFor ?? '')} (waited ${seconds})\n`;
  const { renderTerminal } = await import('../render/terminal/render-terminal.ts');
  return `${renderTerminal(report, { ...look, all: false, wide: false, tookMs: wait.waitedMs })}\nTimed out: no successful call is expected yet (waited ${seconds}).\n`;
}

export default class Wait extends Command {
  static override description =
    `Examines the named webhooks repeatedly, as doctor does, until the next call to each will succeed. Use it in Helm hooks
and pipelines, before objects that the webhooks match are applied. It also waits for webhooks that do not exist yet.

Exit codes: 0 the next call will succeed; 1 timed out, with the verdict of doctor; 2 wrong usage, or no cluster.`;
  static override examples = [
    'kubectl webhook wait my-webhooks',
    'kubectl webhook wait crd/certificates.cert-manager.io --timeout 5m',
  ];
  static override strict = false;
  static override args = calloutArgument('webhooks and APIServices to wait for');
  static override flags = {
    output: documentOutputFlag,
    timeout: durationFlag('2m', 'how long to wait'),
    interval: durationFlag('2s', 'time between two examinations'),
    probe: probeLevel(),
    ...kubeFlags,
    ...filterFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Wait);
    const filter = filterOf(flags);
    if (argv.length === 0 && filter.filter === undefined)
      throw new CannotStart('no webhook is named', 'Name a webhook: kubectl webhook wait CONFIGURATION');
    const run = startRun();
    const waited = await run.result(
      waitFor({
        callouts: argv as string[],
        ...filter,
        probe: flags.probe,
        cluster: clusterOptions(flags, examinationTime, run.interrupted),
        timeout: flags.timeout,
        interval: flags.interval,
        onStage: run.stage,
        sameCluster: sameClusterFlags(flags),
      }),
    );
    await printDocument(waited.wait, flags.output, { text: (look) => waitedText(waited, look) });
    process.exitCode = run.exitCode(waited.wait.succeeded ? 0 : 1);
  }
}
