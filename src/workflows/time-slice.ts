import { Script } from 'node:vm';

/** Work that kept the processor busy was ended: the time for it was over, or somebody pressed Ctrl-C. */
export class Stopped extends Error {}

const work: { now?: () => void } = {};
Object.defineProperty(globalThis, Symbol.for('kubectl-webhook'), { value: work });
const call = new Script("globalThis[Symbol.for('kubectl-webhook')].now()");

/**
 * Does work for so many milliseconds at most. V8 ends it then, whatever it is doing: no timer of this process could. Throws
 * {@link Stopped}; what the work has changed until then stays changed. Ctrl-C ends it, too, and is then handled as ever.
 */
export function within<T>(milliseconds: number, make: () => T): T {
  let made: { readonly value: T } | undefined;
  work.now = () => {
    made = { value: make() };
  };
  try {
    if (milliseconds > 0) call.runInThisContext({ timeout: Math.ceil(milliseconds), breakOnSigint: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') process.emit('SIGINT', 'SIGINT');
    else if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  if (made === undefined) throw new Stopped();
  return made.value;
}
