import { setImmediate as answersTaken } from 'node:timers/promises';
import { Script } from 'node:vm';
import type { ClusterReader } from '../collect/cluster.ts';
import { RunOutOfTime } from './cluster/cannot-start.ts';

/** Synchronous work was stopped by its time limit or by Ctrl-C. */
export class Stopped extends Error {
  readonly byInterrupt: boolean;
  constructor(byInterrupt: boolean) {
    super();
    this.byInterrupt = byInterrupt;
  }
}

const work: { now?: () => void } = {};
Object.defineProperty(globalThis, Symbol.for('kubectl-webhook'), { value: work });
const call = new Script("globalThis[Symbol.for('kubectl-webhook')].now()");

let endsAtInterrupt = true;

/**
 * Makes Ctrl-C wait for synchronous work instead of stopping it. For a stoppable script Node removes the
 * listeners of SIGINT while it runs, and a Ctrl-C that has arrived but was not handled yet is lost.
 */
export async function deferringInterrupts<T>(work: () => Promise<T>): Promise<T> {
  endsAtInterrupt = false;
  try {
    return await work();
  } finally {
    endsAtInterrupt = true;
  }
}

/**
 * Runs synchronous work for a limited number of milliseconds. V8 then stops it, which no timer in this thread
 * could do. Throws {@link Stopped}; side effects of the work until then remain. Ctrl-C stops it, too, and is
 * then handled as usual.
 */
export function computedWithin<T>(milliseconds: number, make: () => T): T {
  let made: { readonly value: T } | undefined;
  let byInterrupt = false;
  work.now = () => {
    made = { value: make() };
  };
  try {
    if (milliseconds > 0)
      call.runInThisContext({ timeout: Math.ceil(milliseconds), breakOnSigint: endsAtInterrupt });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    byInterrupt = code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
    if (byInterrupt) process.emit('SIGINT', 'SIGINT');
    else if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  if (made === undefined) throw new Stopped(byInterrupt);
  return made.value;
}

/** Milliseconds of synchronous work before responses are processed. */
const slice = 20;

interface Job {
  readonly limit: () => number;
  readonly run: () => void;
  readonly stop: (error: unknown) => void;
}

const jobs: Job[] = [];

/** V8 stops work from a thread that it creates for each script: queued work shares one for a slice. */
async function workOff(): Promise<void> {
  for (let [first] = jobs; first !== undefined; [first] = jobs) {
    await answersTaken();
    // A second turn, for a Ctrl-C that arrived meanwhile.
    await answersTaken();
    const began = performance.now();
    const most = first.limit();
    let running = first;
    try {
      computedWithin(most, () => {
        for (let next = jobs[0]; next !== undefined; next = jobs[0]) {
          const spent = performance.now() - began;
          if (next !== first && (spent > slice || next.limit() + spent < most)) return;
          running = next;
          next.run();
          jobs.shift();
        }
      });
    } catch (error) {
      // Work that shared the time limit of other work is restarted with its own.
      if (running !== first && error instanceof Stopped && !error.byInterrupt) continue;
      if (jobs[0] === running) jobs.shift();
      running.stop(error);
    }
  }
}

/**
 * Queues work that runs for `limit` milliseconds at most, as with {@link computedWithin}, after pending responses are
 * processed. The limit is evaluated when the work starts.
 */
export function inTurn<T>(limit: () => number, make: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const run = (): void => {
      try {
        resolve(make());
      } catch (error) {
        reject(error);
      }
    };
    if (jobs.push({ limit, run, stop: reject }) === 1) void workOff();
  });
}

/** Milliseconds after the end of a run for putting together and printing the results. */
const afterwards = 1000;
/** The maximum delay of a timer in milliseconds. */
const longestTimer = 2 ** 31 - 1;
/** Minimum milliseconds for a part of that time, since there may be few results. */
const atLeast = 400;

/** The end (of performance.now()) of work that may use this share of the remaining time of a run. */
export function shareOf({ until }: Pick<ClusterReader, 'until'>, share: number): () => number {
  const began = performance.now();
  return () =>
    until === undefined ? Number.POSITIVE_INFINITY : began + (until() + afterwards - began) * share;
}

/**
 * Runs work that checks `isOver` itself, in `share` of the remaining time, and stops it if it does not
 * return. After Ctrl-C it runs again in the short time that is left. Throws {@link RunOutOfTime}.
 */
export async function inItsShare<T>(
  reader: Pick<ClusterReader, 'until'>,
  share: number,
  what: string,
  make: (isOver: () => boolean) => T,
): Promise<T> {
  for (;;) {
    const [end, all] = [shareOf(reader, share), shareOf(reader, 1)];
    const latest = () => Math.min(Math.max(all() - performance.now(), atLeast), longestTimer);
    try {
      return await inTurn(latest, () => {
        const began = performance.now();
        return make(() => performance.now() > Math.max(end(), began + atLeast / 4));
      });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (!error.byInterrupt) throw new RunOutOfTime(what);
    }
  }
}
