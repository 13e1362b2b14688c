import type { IncomingMessage } from 'node:http';
import { availableParallelism, loadavg } from 'node:os';
import { expect } from 'chai';
import { fileWith } from '../support/plugin.ts';
import { attacks, configMap, everyTwo, files, kubeconfigs, type Row } from './hostile/attacks.ts';
import { type Attack, hostileCluster } from './hostile/hostile-cluster.ts';
import { type MeasuredRun, measuredRun } from './hostile/measured-run.ts';
import { runsAhead } from './hostile/runs-ahead.ts';
import { unansweredWrite, unansweredWrites } from './hostile/unanswered-writes.ts';

const megabyte = 1_000_000;

/** Seconds that a run may exceed its `--timeout` by. */
const grace = 2;

/** A command against a cluster that withholds one response, or attacks in another way. */
interface AttackedCommand extends Expected {
  readonly args: readonly string[];
  readonly about?: string;
  readonly attack?: Attack;
  /** Its output after Ctrl-C; default: the same. */
  readonly known?: RegExp;
}

type Expected = Pick<Row, 'codes' | 'says' | 'within' | 'seconds'>;

/** The processes per processor: everything takes that many times as long, at least. */
const slowness = (): number => Math.max(1, (loadavg()[0] ?? 1) / availableParallelism());

/** On a busy machine, `--timeout` may end a run before the attack begins. */
const isTooLate = ({ code, stderr }: MeasuredRun): boolean =>
  slowness() > 3 && code === 2 && stderr.includes('the time limit of the run was reached before');

/** Checks the limits of time and memory, and for one sentence without a stack or a flood of output. */
function held(run: MeasuredRun, row: Expected, seconds: number): void {
  const measured = `${run.seconds.toFixed(1)} s, ${run.mebibytes.toFixed(0)} MiB`;
  if (process.env.HOSTILE_MEASURES) console.log(`      ${measured}, exit ${run.code}`);
  const printed = `${run.stdout}\n${run.stderr}`;
  const shown = `${measured}, exit ${run.code}: ${run.stderr.slice(0, 500)}${run.stdout.slice(0, 1500)}`;
  expect(run.seconds, shown).to.be.below((seconds + grace) * slowness());
  expect(run.mebibytes, shown).to.be.below(row.within ?? 512);
  expect(run.stderr.length, 'standard error').to.be.below(megabyte / 10);
  expect(printed).to.not.match(/internal error|\n\s+at /);
  if (isTooLate(run)) return;
  expect(row.codes, shown).to.include(run.code);
  expect(row.says.test(printed.replace(/\s+/g, ' ')), `${row.says} in ${shown}`).to.equal(true);
}

/** Runs the program against a cluster with this attack. */
async function attacked({ args = ['doctor'], seconds = 10, ...attack }: Row): Promise<MeasuredRun> {
  const cluster = await hostileCluster(attack);
  const flags = ['--kubeconfig', cluster.kubeconfig, '--timeout', `${seconds}s`];
  return measuredRun([...args, ...flags], { killAfter: seconds + 20 }).finally(cluster.stop);
}

describe('a hostile webhook does not stop the diagnosis', () => {
  // Attacks use processors: two at once. Others wait most of their time.
  const [busy, waiting] = [runsAhead(2), runsAhead(6)];

  for (const [who, rows] of Object.entries(attacks))
    describe(who, () => {
      for (const row of rows) {
        const run = busy(() => attacked(row), row.alone);
        it(row.what, async () => held(await run(), row, row.seconds ?? 10));
      }
    });

  describe('every pair of faults', () => {
    for (const [what, rows] of everyTwo) {
      const runs = rows.map((row) => [row, busy(() => attacked(row))] as const);
      it(`${what}, and another`, async () => {
        const failed = ([row, run]: (typeof runs)[number]) =>
          run()
            .then((measured) => held(measured, row, 10))
            .then(
              () => [],
              ({ message }: Error) => [`${row.what}: ${message}`],
            );
        expect((await Promise.all(runs.map(failed))).flat()).to.deep.equal([]);
      });
    }
  });

  describe('Ctrl-C', () => {
    const mute = (request: IncomingMessage): boolean => request.url?.includes('/services?') === true;
    const interrupted = async (after: readonly number[], which = mute): Promise<MeasuredRun> => {
      const cluster = await hostileCluster({ api: (request) => which(request) });
      const args = ['doctor', '--kubeconfig', cluster.kubeconfig, '--timeout', '40s'];
      const interrupt = { since: cluster.attacked, seconds: after };
      return measuredRun(args, { interrupt, killAfter: 30 }).finally(cluster.stop);
    };

    const known = waiting(() => interrupted([1]));
    it('prints known results while a response is pending', async () => {
      held(await known(), { codes: [130], says: /1 webhook: 1 unknown.*services.*interrupted/ }, 3);
    });

    const nothing = waiting(() => interrupted([1], () => true));
    it('ends with an error if nothing is known', async () => {
      held(await nothing(), { codes: [130], says: /interrupted while reading/ }, 3);
    });

    const twice = waiting(() => interrupted([1, 1.02]));
    it('ends at once the second time', async () => {
      held(await twice(), { codes: [130], says: /^/ }, 3);
    });
  });

  describe('every command', () => {
    const hides = (part: string) => ({
      api: ({ url = '' }: IncomingMessage): boolean => url.includes(part),
    });
    const hidden = hides('/validatingwebhookconfigurations?');
    const mute: Attack = { backend: () => undefined };
    const [object, seen] = [fileWith(configMap('x')), /validatingwebhookconfigurations/];
    const log = fileWith('x failed calling webhook "policy.example.com": failed to call webhook: EOF\n');
    const commands: readonly AttackedCommand[] = [
      { args: ['cert-check'], codes: [3], says: seen },
      { args: ['list'], codes: [3], says: seen },
      { args: ['alerts'], codes: [3], says: seen },
      { args: ['snapshot', '-'], codes: [3], says: seen },
      { args: ['what-if', '--cold-start'], codes: [1, 3], says: seen },
      { args: ['explain', 'x509: certificate signed by unknown authority'], codes: [0], says: seen },
      { args: ['wait', 'policy'], codes: [1], says: /waited \d/ },
      { args: ['lint', '--against', '-f', object], codes: [3], says: seen },
      { args: ['trace', '-f', object], codes: [3], says: /before ConfigMap x was read/ },
      {
        about: 'trace, of a backend',
        args: ['trace', '-f', object],
        attack: mute,
        codes: [3],
        says: /policy\.example\.com|ConfigMap x/,
      },
      {
        about: 'trace, of its user',
        args: ['trace', '-f', object],
        attack: hides('/selfsubjectreviews'),
        codes: [3],
        says: /ConfigMap x/,
      },
      {
        about: 'trace, of its object',
        args: ['trace', '-f', object],
        attack: hides('/configmaps/x'),
        codes: [3],
        says: /ConfigMap x/,
      },
      // --timeout applies to one examination; that of all webhooks may be followed by that of one.
      { args: ['fix'], codes: [2], says: /ot read|cannot read/, seconds: 6, known: /^/ },
      {
        about: 'fix, of a backend',
        args: ['fix', 'policy'],
        attack: mute,
        codes: [2],
        says: /remedy|read|finds/,
        known: /^/,
      },
    ];
    const run = async (
      { args, attack = hidden }: AttackedCommand,
      flags: readonly string[],
      interruptAfter: readonly number[] = [],
    ): Promise<MeasuredRun> => {
      const cluster = await hostileCluster(attack);
      const all = [...args, '--kubeconfig', cluster.kubeconfig, ...flags];
      const interrupt = { since: cluster.attacked, seconds: interruptAfter };
      return measuredRun(all, { interrupt, killAfter: 30 }).finally(cluster.stop);
    };
    const [inTime, interrupted] = [
      ['--timeout', '3s'],
      ['--timeout', '40s'],
    ];
    const ctrlC = [1];
    const rows: readonly (readonly [what: string, how: Expected, make: () => Promise<MeasuredRun>])[] = [
      ...commands.flatMap((command): typeof rows => {
        const { args, about = args[0], codes, says, seconds = 3 } = command;
        return [
          [`ends in time: ${about}`, { codes, says, seconds }, () => run(command, inTime)],
          [
            `gives what is known with Ctrl-C: ${about}`,
            { codes: [130], says: command.known ?? says },
            () => run(command, interrupted, ctrlC),
          ],
        ];
      }),
      [
        'gives what is known with Ctrl-C: scan',
        { codes: [130], says: /policy\.example\.com/ },
        () => run({ args: ['scan', log], codes: [], says: /^/ }, [], ctrlC),
      ],
    ];
    for (const [what, how, make] of rows) {
      const run = waiting(make);
      it(what, async () => held(await run(), how, how.seconds ?? 3));
    }
  });

  describe('a write without a response', () => {
    for (const row of unansweredWrites) {
      const run = waiting(() => unansweredWrite(row));
      it(row.what, async () => held(await run(), row, row.seconds));
    }
  });

  describe('a file', () => {
    it('endless input', async () => {
      const args = ['trace', '--from-snapshot', '/no/such/snapshot', '--timeout', '1s', '-f', '-'];
      const run = await measuredRun(args, { input: { open: true }, killAfter: 30 });
      held(
        run,
        { codes: [3], says: /the time limit of the run was reached while standard input was read/ },
        1,
      );
    });
    for (const { what, args, content, codes, says, seconds = 15 } of files) {
      const run = busy(() => measuredRun([...args, fileWith(content())], { killAfter: 30 }));
      it(what, async () => held(await run(), { codes, says }, seconds));
    }
  });

  it('an agent whose message does not end', async () => {
    const run = await measuredRun(['mcp'], { killAfter: 30, input: 'x'.repeat(100_000_000) });
    held(run, { codes: [2], says: /A message is larger than 4 MiB/ }, 5);
  });

  describe('a kubeconfig', () => {
    for (const [what, file, says] of kubeconfigs)
      it(what, async () => {
        const run = await measuredRun(['doctor', '--kubeconfig', file(), '--timeout', '5s'], {
          killAfter: 30,
        });
        held(run, { codes: [2], says }, 5);
      });
  });
});
