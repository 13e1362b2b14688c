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
    if (milliseconds > 0) call.runInThisContext({ timeout: Math.ceil(milliseconds), breakOnSigint: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    byInterrupt = code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
    if (byInterrupt) process.emit('SIGINT', 'SIGINT');
    else if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  if (made === undefined) throw new Stopped(byInterrupt);
  return made.value;
}

/** Milliseconds beyond the end of a run in which what is known is put together and printed. */
const afterwards = 1000;
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
export function inItsShare<T>(
  reader: Pick<ClusterReader, 'until'>,
  share: number,
  what: string,
  make: (isOver: () => boolean) => T,
): T {
  for (;;) {
    const began = performance.now();
    const end = shareOf(reader, share);
    const latest = Math.max(shareOf(reader, 1)() - began, atLeast);
    const isOver = () => performance.now() > Math.max(end(), began + atLeast / 4);
    try {
      return latest > 2 ** 31 - 1 ? make(isOver) : within(latest, () => make(isOver));
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (!error.byInterrupt) throw new RunOutOfTime(what);
    }
  }
}
