import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';

const patience = 20;

describe('slots', () => {
  /** Whether the first task had ended when the second one started. */
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

  it('start the next task if one hangs', async () => {
    expect(await firstEnded(() => sleep(50 * patience))).to.equal(false);
  });

  it('keep it waiting if this program uses the processor', async () => {
    const busy = async (): Promise<void> => {
      for (const until = performance.now() + 5 * patience; performance.now() < until; await turn()) {
        const pause = performance.now() + 2;
        while (performance.now() < pause);
      }
    };
    expect(await firstEnded(busy)).to.equal(true);
  });
});
