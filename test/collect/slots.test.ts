import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { slots } from '../../src/collect/slots.ts';

const patience = 20;

describe('slots', () => {
  it('start the next task if one hangs', async () => {
    const slot = slots(1, patience);
    let end = (): void => undefined;
    const first = slot(() => new Promise<void>((resolve) => (end = resolve)));
    await slot(async () => end());
    await first;
  });

  it('keep it waiting if this program uses the processor', async () => {
    const busy = async (): Promise<void> => {
      for (const until = performance.now() + 5 * patience; performance.now() < until; await turn()) {
        const pause = performance.now() + 2;
        while (performance.now() < pause);
      }
    };
    const slot = slots(1, patience);
    let ended = false;
    const first = slot(async () => {
      await busy();
      ended = true;
    });
    expect(await slot(async () => ended)).to.equal(true);
    await first;
  });
});
