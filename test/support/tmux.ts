import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { waitFor } from '../cluster/wait.ts';

const run = promisify(execFile);

/** False: no terminal is available here. */
export const hasTmux = (): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(`${folder}/tmux`));

/** A program in a terminal of 110 columns and 50 lines. */
export interface Terminal {
  /** The complete output, including scrolled lines. */
  screen(): Promise<string>;
  /** Keys as tmux names them: `Enter`, `Down`, `C-c`, or text. */
  press(...keys: readonly string[]): Promise<void>;
  /** Waits until the screen shows it; returns the screen. */
  shows(text: RegExp, timeout?: number): Promise<string>;
  /** The exit code, when the program has ended. */
  ended(timeout?: number): Promise<number>;
  close(): Promise<void>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts a program in a separate terminal, without the user's tmux configuration. */
export async function inTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Terminal> {
  const socket = `kubectl-webhook-${randomBytes(4).toString('hex')}`;
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...args])).stdout;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  // A user's terminal, also in CI.
  const line = `env -u CI ${variables.join(' ')} ${command.map(quoted).join(' ')}; echo "ended with $?"; sleep 600`;
  await tmux('new-session', '-d', '-x', '110', '-y', '50', line);
  const screen = (): Promise<string> => tmux('capture-pane', '-p', '-J', '-S', '-2000');
  const shows = (text: RegExp, timeout = 60_000): Promise<string> =>
    waitFor(
      `the terminal to show ${text}`,
      async () => {
        const now = await screen();
        return text.test(now) && now;
      },
      // Each look starts a process.
      { timeout, interval: 250 },
    ).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await screen().catch(() => '')}`);
    });
  return {
    screen,
    shows,
    press: async (...keys) => {
      for (const key of keys) await tmux('send-keys', key);
    },
    ended: async (timeout) =>
      Number(/^ended with (\d+)$/m.exec(await shows(/^ended with \d+$/m, timeout))?.[1]),
    close: async () => {
      await tmux('kill-server').catch(() => undefined);
    },
  };
}
