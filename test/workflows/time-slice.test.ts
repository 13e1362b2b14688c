import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import type { Check } from '../../src/checks/check.ts';
import type { Known } from '../../src/facts/snapshot.ts';
import { checkWhileReading } from '../../src/workflows/check-while-reading.ts';
import { computedWithin, deferringInterrupts, inTurn, Stopped } from '../../src/workflows/time-slice.ts';
import { snapshotOf, webhook } from '../support/snapshot.ts';

const forEver = (): never => {
  for (;;);
};

describe('work that keeps the processor busy', () => {
  it('completes', () => {
    expect(computedWithin(1000, () => 7)).to.equal(7);
    expect(computedWithin(1000, () => undefined)).to.equal(undefined);
  });

  it('ends after its time limit, whatever it does', () => {
    expect(() => computedWithin(100, forEver)).to.throw(Stopped);
    // A pattern with exponential backtracking in V8's engine.
    expect(() => computedWithin(100, () => /^(a|a|aa)+$/.test(`${'a'.repeat(60)}!`))).to.throw(Stopped);
    expect(computedWithin(1000, () => 8)).to.equal(8);
  });

  it('does not start without time', () => {
    expect(() => computedWithin(0, forEver)).to.throw(Stopped);
    expect(() => computedWithin(-1, forEver)).to.throw(Stopped);
  });

  it('handles a Ctrl-C from before it, and one during it', async () => {
    const others = process.rawListeners('SIGINT') as NodeJS.SignalsListener[];
    process.removeAllListeners('SIGINT');
    let interrupts = 0;
    process.on('SIGINT', () => {
      interrupts += 1;
    });
    const press = (): boolean => process.kill(process.pid, 'SIGINT');
    const handled = async (count: number): Promise<void> => {
      for (let turn = 0; interrupts < count && turn < 1000; turn += 1)
        await new Promise<void>((resolve) => setImmediate(resolve));
    };
    try {
      const before = deferringInterrupts(async () => {
        press();
        return computedWithin(1000, () => 9);
      });
      expect(await before).to.equal(9);
      await handled(1);
      expect(interrupts).to.equal(1);
      expect(await deferringInterrupts(async () => computedWithin(1000, press))).to.equal(true);
      await handled(2);
      expect(interrupts).to.equal(2);
      // Outside of it, Ctrl-C ends the work at once, and is handled.
      expect(() =>
        computedWithin(5000, () => {
          press();
          return forEver();
        }),
      ).to.throw(Stopped);
      expect(interrupts).to.equal(3);
    } finally {
      process.removeAllListeners('SIGINT');
      for (const listener of others) process.on('SIGINT', listener);
    }
  });

  it('fails with its own error', () => {
    expect(() =>
      computedWithin(1000, () => {
        throw new TypeError('no');
      }),
    ).to.throw(TypeError, 'no');
  });

  it('of several clusters is ended separately: the others complete, with all of their time', async () => {
    let tries = 0;
    const ended = await Promise.allSettled([
      inTurn(
        () => 100,
        () => 1,
      ),
      // Starts in the remaining time of another task, which is too short, and restarts with its own.
      inTurn(
        () => 30_000,
        () => {
          tries += 1;
          for (const began = performance.now(); tries === 1 && performance.now() - began < 150; );
          return 1;
        },
      ),
      inTurn(() => 100, forEver),
      inTurn(() => 0, forEver),
      inTurn(
        () => 100,
        () => {
          throw new TypeError('no');
        },
      ),
      inTurn(
        () => 100,
        () => 5,
      ),
    ]);
    expect(
      ended.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.constructor)),
    ).to.deep.equal([1, 1, Stopped, Stopped, TypeError, 5]);
  });

  it('is a check among others, which complete', async () => {
    const { facts } = snapshotOf({ callouts: [webhook({})] });
    const known = (async () => facts) as unknown as Known;
    const [first, ...others] = catalogue.slice(0, 3);
    const busy = { ...first, subjects: forEver } as unknown as Check;
    const evaluate = (until: number) =>
      checkWhileReading([...others, busy], { known, takenAt: facts.takenAt }, { until: () => until });
    const { results, stopped } = await evaluate(performance.now() - 500);
    expect(stopped).to.deep.equal([
      { what: `check ${first?.meta.id}`, why: 'timeout', detail: 'the time limit was reached' },
    ]);
    expect(results.map(({ checkId }) => checkId)).to.have.members(others.map(({ meta }) => meta.id));
    expect((await evaluate(performance.now() - 1001)).results).to.deep.equal([]);
  });
});
