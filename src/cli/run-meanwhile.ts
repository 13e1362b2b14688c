import { spawn } from 'node:child_process';

/**
 * Runs a command in the user's shell; what it prints goes to stderr, stdout is the document's. `stopped` ends it.
 * Answers with its exit code, null when a signal ended it or it could not start.
 */
export function runMeanwhile(command: string, stopped: AbortSignal): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 2, 2] });
    stopped.addEventListener('abort', () => child.kill(), { once: true });
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
}
