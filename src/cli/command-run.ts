import { interruptedExitCode, onInterrupt } from './interrupt.ts';
import { startProgress } from './progress.ts';

/**
 * Runs a read-only command with its progress line. The first Ctrl-C ends reads, so that the known facts are
 * evaluated and printed; the second one ends the program.
 */
export function startRun() {
  const { stage, stop } = startProgress();
  const controller = new AbortController();
  const { signal } = controller;
  const release = onInterrupt(() => controller.abort());
  return {
    stage,
    /** Clears the progress line before the result is printed. */
    stop,
    /** Aborted by Ctrl-C. */
    interrupted: signal,
    /** The result of the work. Afterwards there is no progress line, and Ctrl-C ends the program. */
    async result<T>(work: Promise<T>): Promise<T> {
      try {
        return await work;
      } catch (error) {
        // Nothing was read yet.
        throw signal.aborted ? Object.assign(error as Error, { exitCode: interruptedExitCode }) : error;
      } finally {
        stop();
        release();
      }
    },
    exitCode: (code: number): number => (signal.aborted ? interruptedExitCode : code),
  };
}
