import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';
import { fileWith } from '../support/plugin.ts';
import { attacks, configMap, everyTwo, files, kubeconfigs, type Row } from './hostile/attacks.ts';
import { hostileCluster } from './hostile/hostile-cluster.ts';
import { type Meanwhile, type MeasuredRun, measuredRun } from './hostile/measured-run.ts';

const megabyte = 1_000_000;

/** Seconds that a run may take beyond its `--timeout`. */
const grace = 2;

/** It ended as it should: in time, in memory, with a sentence, and neither with a stack nor with a flood. */
function held(run: MeasuredRun, row: Pick<Row, 'codes' | 'says' | 'within'>, seconds: number): void {
  const measured = `${run.seconds.toFixed(1)} s, ${run.mebibytes.toFixed(0)} MiB`;
  if (process.env.HOSTILE_MEASURES) console.log(`      ${measured}, exit ${run.code}`);
  const printed = `${run.stdout}\n${run.stderr}`;
  const shown = `${measured}, exit ${run.code}: ${run.stderr.slice(0, 500)}${run.stdout.slice(0, 1500)}`;
  expect(row.codes, shown).to.include(run.code);
  expect(run.seconds, shown).to.be.below(seconds + grace);
  expect(run.mebibytes, shown).to.be.below(row.within ?? 512);
  expect(run.stderr.length, 'standard error').to.be.below(megabyte / 10);
  expect(printed).to.not.match(/internal error|\n\s+at /);
  expect(row.says.test(printed.replace(/\s+/g, ' ')), `${row.says} in ${shown}`).to.equal(true);
}

/** Runs the program against a cluster that does this to it. */
async function attacked(row: Row): Promise<void> {
  const { args = ['doctor'], seconds = 10 } = row;
  const cluster = await hostileCluster(row);
  try {
    const flags = ['--kubeconfig', cluster.kubeconfig, '--timeout', `${seconds}s`];
    held(await measuredRun([...args, ...flags], { killAfter: seconds + 20 }), row, seconds);
  } finally {
    await cluster.stop();
  }
}

describe('whoever runs a webhook does not stop whoever diagnoses it', () => {
  for (const [who, rows] of Object.entries(attacks))
    describe(who, () => {
      for (const row of rows) it(row.what, () => attacked(row));
    });

  describe('every two at once', () => {
    for (const [what, rows] of everyTwo)
      it(`${what}, and another`, async () => {
        const slot = slots(2);
        const failed = async (row: Row) =>
          attacked(row).then(
            () => [],
            ({ message }: Error) => [`${row.what}: ${message}`],
          );
        const failures = await Promise.all(rows.map((row) => slot(() => failed(row))));
        expect(failures.flat()).to.deep.equal([]);
      });
  });

  describe('Ctrl-C', () => {
    const mute = (request: IncomingMessage): boolean => request.url?.includes('/services?') === true;
    const interrupted = async (after: readonly number[], which = mute): Promise<MeasuredRun> => {
      const cluster = await hostileCluster({ api: (request) => which(request) });
      const args = ['doctor', '--kubeconfig', cluster.kubeconfig, '--timeout', '40s'];
      return measuredRun(args, { interruptAfter: after, killAfter: 30 }).finally(cluster.stop);
    };

    it('gives what is known while an answer does not come', async () => {
      const run = await interrupted([2]);
      held(run, { codes: [130], says: /1 webhook: 1 unknown.*services.*interrupted/ }, 3);
    });

    it('ends with a sentence where nothing is known', async () => {
      held(await interrupted([2], () => true), { codes: [130], says: /interrupted while reading/ }, 3);
    });

    it('ends at once the second time', async () => {
      const run = await interrupted([2, 2.02]);
      held(run, { codes: [130], says: /^/ }, 3);
    });
  });

  describe('every command', () => {
    const hidden = (request: IncomingMessage): boolean =>
      request.url?.includes('/validatingwebhookconfigurations?') === true;
    const seen = /validatingwebhookconfigurations/;
    const commands: readonly (readonly [args: readonly string[], codes: readonly number[], says: RegExp])[] =
      [
        [['cert-check'], [3], seen],
        [['list'], [3], seen],
        [['alerts'], [3], seen],
        [['snapshot', '-'], [3], seen],
        [['what-if', '--cold-start'], [1, 3], seen],
        [['explain', 'x509: certificate signed by unknown authority'], [0], seen],
        [['wait', 'policy'], [1], /waited \d/],
        [['lint', '--against', '-f', fileWith(configMap('x'))], [3], seen],
      ];
    for (const [args, codes, says] of commands) {
      const run = async (meanwhile: Meanwhile, timeout: string): Promise<MeasuredRun> => {
        const cluster = await hostileCluster({ api: hidden });
        const flags = ['--kubeconfig', cluster.kubeconfig, '--timeout', timeout];
        return measuredRun([...args, ...flags], { ...meanwhile, killAfter: 30 }).finally(cluster.stop);
      };
      it(`ends in time: ${args[0]}`, async () => held(await run({}, '3s'), { codes, says }, 3));
      it(`gives what is known with Ctrl-C: ${args[0]}`, async () =>
        held(await run({ interruptAfter: [2] }, '40s'), { codes: [130], says }, 3));
    }
  });

  describe('a file', () => {
    for (const { what, args, content, codes, says } of files)
      it(what, async () => {
        const run = await measuredRun([...args, fileWith(content())], { killAfter: 30 });
        held(run, { codes, says }, 15);
      });
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
