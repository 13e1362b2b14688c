import { Command, Flags } from '@oclif/core';
import type { CommandEntry } from '../cli/command-table.ts';
import { allFlag, argument, detailsFlag, reportOutputFlag } from '../cli/flags.ts';
import { onInterrupt } from '../cli/interrupt.ts';
import { printReport } from '../cli/print.ts';
import { programName } from '../cli/program.ts';
import { runCommand } from '../cli/run-command.ts';
import { terminalLook } from '../cli/terminal.ts';
import { wrap } from '../render/terminal/style.ts';
import { CannotStart } from '../workflows/cluster/cannot-start.ts';
import {
  beginning,
  commandsToTry,
  runDemo,
  type Scenario,
  scenarios,
  scenariosNamed,
  startTour,
} from '../workflows/demo.ts';

/** Wraps text to the width of a terminal; unchanged if the stream is none. */
const paragraph = (text: string, stream: NodeJS.WriteStream, first = ''): string =>
  stream.isTTY ? wrap(text, terminalLook(stream).width, first).join('\n') : first + text;

const listText = (scenarios: readonly Scenario[]): string => {
  const width = Math.max(...scenarios.map(({ slug }) => slug.length));
  return scenarios
    .map((scenario) => paragraph(beginning(scenario), process.stdout, `${scenario.slug.padEnd(width)}  `))
    .map((line) => `${line}\n`)
    .join('');
};

function introduction(named: string | undefined, scenarios: readonly Scenario[]): string {
  const [only] = scenarios;
  const nature =
    'Its Pods are servers in this process, on 127.0.0.1: doctor connects to them as to real ones.';
  if (named === undefined || only === undefined)
    return `An embedded cluster with ${scenarios.length} scenarios, broken and healthy. ${nature}`;
  const source = only.source === undefined ? '' : `Like ${only.source}\n`;
  return `${only.story}\n${source}${nature}`;
}

/** Resolves on Ctrl-C. */
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    const keepAlive = setInterval(() => undefined, 60_000);
    const release = onInterrupt(() => {
      clearInterval(keepAlive);
      release();
      resolve();
    });
  });

/** Reads a key; `undefined` if it ends the tour: q, Esc, Ctrl-C or Ctrl-D. */
const key = (): Promise<string | undefined> =>
  new Promise((resolve) => {
    const { stdin } = process;
    stdin.setRawMode(true);
    stdin.resume();
    stdin.once('data', (chunk) => {
      stdin.setRawMode(false);
      stdin.pause();
      const pressed = String(chunk);
      resolve(/^[q\u001b\u0003\u0004]/.test(pressed) ? undefined : pressed);
    });
  });

const steps = {
  doctor: () => import('./doctor.ts'),
  failopen: () => import('./failopen.ts'),
  fix: () => import('./fix.ts'),
  undo: () => import('./undo.ts'),
};

/** Breaks a webhook and fixes it again, one key per step; each command is shown before it runs. */
async function walkThrough(): Promise<void> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) throw new CannotStart('demo --tour needs a terminal', 'Without one: demo --keep');
  const tour = await startTour(new Date());
  process.env.KUBECONFIG = tour.kubeconfig;
  const says = (text: string): boolean => stderr.write(`${paragraph(text, stderr)}\n`);
  try {
    says(
      'A cluster on 127.0.0.1 with one webhook, which works. Any key runs the next command, q ends the tour.',
    );
    for (const [at, { says: what, words = [] }] of tour.steps.entries()) {
      const [name = ''] = words;
      stderr.write('\n');
      says(`${at + 1} of ${tour.steps.length}  ${what}`);
      says(`$ ${words.length === 0 ? tour.typed : `${programName} ${words.join(' ')}`}`);
      if ((await key()) === undefined) return;
      if (name in steps) {
        const load = steps[name as keyof typeof steps];
        await runCommand({ name, summary: '', load } as CommandEntry, words.slice(1)).catch(passing);
      } else {
        await tour.breakIt();
        stderr.write('service/policy patched\n');
      }
    }
    stderr.write('\n');
    says(`It works again. The same with scenarios of your choice: ${programName} demo --keep`);
  } finally {
    process.exitCode = 0;
    await tour.stop();
  }
}

/** The tour continues, whatever the exit code of a command. */
function passing(error: unknown): void {
  if (!(error instanceof Error && 'oclif' in error)) throw error;
}

export default class Demo extends Command {
  static override description =
    `Starts a small API server on 127.0.0.1 inside this process, with webhooks that fail as they do in real clusters, and
runs doctor on it. No other cluster is touched. Exits with 0 if the demo itself worked, whatever doctor found.`;
  static override examples = [
    'kubectl webhook demo',
    'kubectl webhook demo crash-loop',
    'kubectl webhook demo --list',
    'kubectl webhook demo --keep',
    'kubectl webhook demo --tour',
  ];
  static override args = {
    scenario: argument('SCENARIO', 'the failure to show (default: a selection)'),
  };
  static override flags = {
    output: reportOutputFlag,
    all: allFlag,
    details: detailsFlag,
    keep: Flags.boolean({ description: 'keep the cluster running until Ctrl-C, and print its kubeconfig' }),
    tour: Flags.boolean({
      description: 'break, doctor, failopen, fix and undo: one key per step',
      exclusive: ['keep', 'list', 'output'],
    }),
    list: Flags.boolean({ description: 'list the scenarios' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Demo);
    if (flags.list) {
      process.stdout.write(listText(args.scenario === undefined ? scenarios : scenariosNamed(args.scenario)));
      return;
    }
    if (flags.tour) return walkThrough();
    const chosen = scenariosNamed(args.scenario);
    const started = performance.now();
    const demo = await runDemo(chosen, new Date());
    try {
      const again = ['demo', ...(args.scenario === undefined ? [] : [args.scenario]), '--keep'].join(' ');
      const hint = `The cluster stops at the end. To run commands on it: ${programName} ${again}`;
      const text = [introduction(args.scenario, chosen), ...(flags.keep ? [] : [hint])].join('\n');
      process.stderr.write(`${paragraph(text, process.stderr)}\n\n`);
      await printReport(demo.report, flags.output, {
        all: flags.all,
        details: flags.details,
        tookMs: performance.now() - started,
      });
      if (!flags.keep) return;
      process.stderr.write(
        `\nThe cluster stays up until Ctrl-C, and accepts changes. Try, in another terminal:\n${[
          process.platform === 'win32'
            ? `$env:KUBECONFIG = '${demo.kubeconfig}'`
            : `export KUBECONFIG=${demo.kubeconfig}`,
          ...commandsToTry(demo.report),
        ]
          .map((line) => `  ${line}\n`)
          .join('')}`,
      );
      await interrupted();
    } finally {
      await demo.stop();
    }
  }
}
