import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';

const patience = 20;

describe('slots', () => {
  /** What a second task meets: whether the first one had ended. */
  const firstEnded = async (first: () => Promise<unknown>): Promise<boolean> => {
    const slot = slots(1, patience);
    let ended = false;
    const one = slot(async () => {
      await first();
      ended = true;
    });
    const met = await slot(async () => ended);
    await one;
    return met;
  };

  it('let the next one go on where a task hangs', async () => {
    expect(await firstEnded(() => sleep(50 * patience))).to.equal(false);
  });

  it('let it wait where this program is what takes the time', async () => {
    const busy = async (): Promise<void> => {
      for (const until = performance.now() + 5 * patience; performance.now() < until; await turn()) {
        const pause = performance.now() + 2;
        while (performance.now() < pause);
      }
    };
    expect(await firstEnded(busy)).to.equal(true);
  });
});
