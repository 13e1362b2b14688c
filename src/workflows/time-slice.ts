import { setImmediate as answersTaken } from 'node:timers/promises';
import { Script } from 'node:vm';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import { RunOutOfTime } from './cannot-start.ts';

/** Work that kept the processor busy was ended: the time for it was over, or somebody pressed Ctrl-C. */
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
 * Lets Ctrl-C wait for work that keeps the processor busy, instead of ending it. To end it, Node takes away the listeners of
 * SIGINT meanwhile, and a Ctrl-C that has arrived but was not handled yet is lost with them.
 */
export async function keepingInterrupts<T>(work: () => Promise<T>): Promise<T> {
  endsAtInterrupt = false;
  try {
    return await work();
  } finally {
    endsAtInterrupt = true;
  }
}

/**
 * Does work for so many milliseconds at most. V8 ends it then, whatever it is doing: no timer of this process could. Throws
 * {@link Stopped}; what the work has changed until then stays changed. Ctrl-C ends it, too, and is then handled as ever.
 */
export function within<T>(milliseconds: number, make: () => T): T {
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

/** Milliseconds that the processor is kept busy before answers are taken in. */
const slice = 20;

interface Job {
  readonly limit: () => number;
  readonly run: () => void;
  readonly stop: (error: unknown) => void;
}

const jobs: Job[] = [];

/** V8 ends work from a thread that is made each time. What is ready of several clusters shares one, for a slice. */
async function workOff(): Promise<void> {
  for (let [first] = jobs; first !== undefined; [first] = jobs) {
    await answersTaken();
    // And a Ctrl-C that arrived meanwhile.
    await answersTaken();
    const began = performance.now();
    const most = first.limit();
    let running = first;
    try {
      within(most, () => {
        for (let next = jobs[0]; next !== undefined; next = jobs[0]) {
          const spent = performance.now() - began;
          if (next !== first && (spent > slice || next.limit() + spent < most)) return;
          running = next;
          next.run();
          jobs.shift();
        }
      });
    } catch (error) {
      // What shared the time of another begins again with all of its own.
      if (running !== first && error instanceof Stopped && !error.byInterrupt) continue;
      if (jobs[0] === running) jobs.shift();
      running.stop(error);
    }
  }
}

/**
 * Does work for `limit` milliseconds at most, as {@link within} does, when answers that have arrived are taken in. The limit is
 * looked up when the work begins.
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

/** Milliseconds beyond the end of a run in which what is known is put together and printed. */
const afterwards = 1000;
/** Milliseconds: what a timer can wait for. */
const longestTimer = 2 ** 31 - 1;
/** Milliseconds that a part of that has even then, for the little that may be known. */
const atLeast = 400;

/** The end of work, by performance.now(), that may take this share of what is left of a run. */
export function shareOf({ until }: Pick<ClusterReader, 'until'>, share: number): () => number {
  const began = performance.now();
  return () =>
    until === undefined ? Number.POSITIVE_INFINITY : began + (until() + afterwards - began) * share;
}

/**
 * Makes what looks at the time itself, in `share` of what is left of the run, and ends it where that does not do. With Ctrl-C it
 * is made again, in the little that is left then. Throws {@link RunOutOfTime}.
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
