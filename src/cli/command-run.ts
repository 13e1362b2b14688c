import { interruptedExitCode, onInterrupt } from './interrupt.ts';
import { startProgress } from './progress.ts';

/**
 * The work of a command that reads or judges, as people see it: progress, and the first Ctrl-C, which ends what is read, so
 * that what is known is judged and printed. The second one ends the program.
 */
export function startRun() {
  const { stage, stop } = startProgress();
  const controller = new AbortController();
  const { signal } = controller;
  const release = onInterrupt(() => controller.abort());
  return {
    stage,
    /** Takes the line of progress away before there is a result. */
    stop,
    /** Aborted by Ctrl-C. */
    interrupted: signal,
    /** What comes of the work; then progress is over, and Ctrl-C ends the program. */
    async result<T>(work: Promise<T>): Promise<T> {
      try {
        return await work;
      } catch (error) {
        // Nothing was known so far.
        throw signal.aborted ? Object.assign(error as Error, { exitCode: interruptedExitCode }) : error;
      } finally {
        stop();
        release();
      }
    },
    exitCode: (code: number): number => (signal.aborted ? interruptedExitCode : code),
  };
}
