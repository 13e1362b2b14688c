import { slots } from '../../../src/collect/slots.ts';
import type { MeasuredRun } from './measured-run.ts';

type Make = () => Promise<MeasuredRun>;

/**
 * Starts runs in the order of their tests, some ahead of time, and gives each test its own result. No other
 * run starts beside one that needs all processors. A retried test gets a new run.
 */
export function runsAhead(limit: number): (make: Make, alone?: boolean) => Make {
  const slot = slots(limit);
  const added: { readonly make: Make; readonly alone: boolean }[] = [];
  const begun = new Map<number, Promise<MeasuredRun>>();
  const begin = (at: number, make: Make): Promise<MeasuredRun> => {
    const run = slot(make);
    run.catch(() => undefined);
    begun.set(at, run);
    return run;
  };
  let next = 0;
  return (make, alone = false) => {
    const at = added.push({ make, alone }) - 1;
    return () => {
      const run = begun.get(at) ?? begin(at, make);
      begun.delete(at);
      // Earlier tests may be deselected (`-g`).
      next = Math.max(next, at + 1);
      for (const ahead of alone ? [] : added.slice(next, at + limit)) {
        if (ahead.alone) break;
        begin(next, ahead.make);
        next += 1;
      }
      return run;
    };
  };
}
