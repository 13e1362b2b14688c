import { Args, Command, Flags } from '@oclif/core';
import { allFlag, detailsFlag, reportOutputFlag } from '../cli/flags.ts';
import { onInterrupt } from '../cli/interrupt.ts';
import { paragraph } from '../cli/paragraph.ts';
import { printReport } from '../cli/print.ts';
import { programName } from '../cli/program.ts';
import { allScenarios, runDemo, type Scenario, scenariosNamed } from '../workflows/demo.ts';

const listText = (scenarios: readonly Scenario[]): string => {
  const width = Math.max(...scenarios.map(({ slug }) => slug.length));
  return scenarios
    .map(({ slug, story: [first = ''] }) => paragraph(first, process.stdout, `${slug.padEnd(width)}  `))
    .map((line) => `${line}\n`)
    .join('');
};

function introduction(named: string | undefined, scenarios: readonly Scenario[]): string {
  const [only] = scenarios;
  const nature =
    'Its Pods are servers in this process, on 127.0.0.1: doctor connects to them as to real ones.';
  if (named === undefined || only === undefined)
    return `An embedded cluster with ${scenarios.length} set-ups, broken ones and sound ones. ${nature}`;
  const source = only.source === undefined ? '' : `Like ${only.source}\n`;
  return `${only.story.join(' ')}\n${source}${nature}`;
}

/** Resolves when somebody presses Ctrl-C. */
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    const keepAlive = setInterval(() => undefined, 60_000);
    const release = onInterrupt(() => {
      clearInterval(keepAlive);
      release();
      resolve();
    });
  });

/** An embedded cluster with broken webhooks, and doctor run on it. */
export default class Demo extends Command {
  static override description =
    `Starts a small API server on 127.0.0.1 inside this process, with webhooks that fail as they do in real clusters, and
runs doctor on it. No other cluster is touched. Exits with 0 if the demo itself worked, whatever doctor found.`;
  static override examples = [
    'kubectl webhook demo',
    'kubectl webhook demo crash-loop',
    'kubectl webhook demo --list',
    'kubectl webhook demo --keep',
  ];
  static override args = {
    scenario: Args.string({
      name: 'SCENARIO',
      description: 'the failure to show (default: a selection)',
      ignoreStdin: true,
    }),
  };
  static override flags = {
    output: reportOutputFlag,
    all: allFlag,
    details: detailsFlag,
    keep: Flags.boolean({ description: 'keep the cluster running until Ctrl-C, and print its kubeconfig' }),
    list: Flags.boolean({ description: 'list the scenarios' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Demo);
    if (flags.list) {
      process.stdout.write(
        listText(args.scenario === undefined ? allScenarios : scenariosNamed(args.scenario)),
      );
      return;
    }
    const chosen = scenariosNamed(args.scenario);
    const started = performance.now();
    const demo = await runDemo(chosen, new Date());
    try {
      process.stderr.write(`${paragraph(introduction(args.scenario, chosen), process.stderr)}\n\n`);
      await printReport(demo.report, flags.output, {
        all: flags.all,
        details: flags.details,
        tookMs: performance.now() - started,
      });
      if (!flags.keep) return;
      process.stderr.write(`\nThe cluster stays up until Ctrl-C. It takes no changes: --dry-run=client shows them. Try, in another terminal:
  ${programName} doctor --kubeconfig ${demo.kubeconfig}
  kubectl --kubeconfig ${demo.kubeconfig} get validatingwebhookconfigurations,pods -A\n`);
      await interrupted();
    } finally {
      await demo.stop();
    }
  }
}
