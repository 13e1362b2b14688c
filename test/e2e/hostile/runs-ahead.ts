import { slots } from '../../../src/collect/slots.ts';
import type { MeasuredRun } from './measured-run.ts';

type Make = () => Promise<MeasuredRun>;

/**
 * Takes runs in the order of their tests, and gives each test its own. So many are under way at once: they begin a little
 * before their turn; nothing beside one that wants all processors for itself. A test that is tried again has a new one.
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
      // Tests before this one may not have been chosen (`-g`).
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
