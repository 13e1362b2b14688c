import type { ChangeReport } from '../change/change-report.ts';
import { countdownText } from '../phrases/durations.ts';
import { renderPreview } from '../render/change/render-change.ts';
import { wrap } from '../render/terminal/style.ts';
import { harmless } from '../render/text/harmless.ts';
import type { ChangePrompts } from '../workflows/change/change-run.ts';
import { changeExitCode } from './exit-code.ts';
import { interruptedExitCode, onInterrupt } from './interrupt.ts';
import { type DocumentFormat, printChanges } from './print.ts';
import { type Progress, startProgress } from './progress.ts';
import { terminalLook } from './terminal.ts';

/** Error for Ctrl-C at a prompt: nothing was changed. */
class Interrupted extends Error {
  readonly exitCode = interruptedExitCode;
}

/** Whether prompts are possible: stdin and stderr are terminals. */
export const canPrompt = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/**
 * Prompts on the terminal, even if stdout is redirected. Throws with exit code 130 on Ctrl-C and Esc, and on
 * `q` unless it can be part of the input.
 */
export async function withPrompt<T>(
  promptToConfirm: (context: {
    readonly output: NodeJS.WriteStream;
    readonly signal: AbortSignal;
  }) => Promise<T>,
  isAnswer: (key: string) => boolean = () => true,
): Promise<T> {
  const leaving = new AbortController();
  const onKey = (_: unknown, { name = '' }: { readonly name?: string } = {}): void => {
    if (name === 'escape' || (name === 'q' && !isAnswer(name))) leaving.abort();
  };
  process.stdin.on('keypress', onKey);
  try {
    return await promptToConfirm({ output: process.stderr, signal: leaving.signal });
  } catch (error) {
    if (['ExitPromptError', 'AbortPromptError'].includes((error as Error).name))
      throw new Interrupted('interrupted; nothing was changed');
    throw error;
  } finally {
    process.stdin.off('keypress', onKey);
  }
}

/** Columns that a prompt adds: its mark, its `(y/N)`. */
const ofPrompt = 10;

/** Wraps text for a prompt between words: Inquirer breaks it anywhere. */
export const wrapForPrompt = (text: string): string =>
  wrap(harmless(text), terminalLook(process.stderr).width - ofPrompt, '', '  ').join('\n');

/** Prints on stderr the lines about what remains to be done if Ctrl-C ends the program. */
export function onInterruptedExit(leftBehind: () => readonly string[]): void {
  process.on('exit', (code) => {
    const lines = code === interruptedExitCode ? leftBehind() : [];
    if (lines.length > 0) process.stderr.write(`\n${lines.map((line) => `${harmless(line)}\n`).join('')}`);
  });
}

/** Asks for yes, or for a text to type for yes. Throws with exit code 130 on Ctrl-C. */
export const confirm = (question: string, typed?: string): Promise<boolean> =>
  withPrompt(async (context) => {
    if (typed === undefined) {
      const { default: confirm } = await import('@inquirer/confirm');
      return confirm({ message: wrapForPrompt(question), default: false }, context);
    }
    const { default: input } = await import('@inquirer/input');
    const word = harmless(typed);
    const answer = await input(
      { message: `${wrapForPrompt(question)}\n  Type ${word} to confirm:` },
      context,
    );
    return answer.trim() === word;
  });

/**
 * Runs a command that changes something, prints its report, and sets the exit code. `nothing` is printed if
 * there was nothing to change.
 */
export async function reportChange<C extends { readonly close: () => void }>(
  prompts: C,
  format: DocumentFormat,
  run: (prompts: C) => Promise<ChangeReport>,
  nothing?: string,
): Promise<void> {
  try {
    const report = await run(prompts);
    prompts.close();
    await printChanges(report, format, nothing);
    process.exitCode = changeExitCode(report);
  } finally {
    prompts.close();
  }
}

/**
 * The prompts and previews of a change on this terminal. With `document` stdout only gets that document, and
 * the preview goes to stderr if it is a terminal. `close` clears the progress line, `resume` restores it.
 */
export function openPrompts(document: boolean): ChangePrompts & {
  readonly close: () => void;
  readonly resume: () => void;
} {
  let progress = startProgress();
  let unfinished: string | undefined;
  onInterruptedExit(() => {
    progress.stop();
    return unfinished === undefined
      ? []
      : [`Unknown whether the change was made. To restore the previous values: ${unfinished}`];
  });
  const stage: Progress['stage'] = (...step) => progress.stage(...step);
  return {
    stage,
    warn(text) {
      progress.stop();
      process.stderr.write(`${harmless(text)}\n`);
      progress = startProgress();
    },
    show(entry) {
      progress.stop();
      if (!document) process.stdout.write(renderPreview(entry, terminalLook(process.stdout)));
      else if (process.stderr.isTTY) process.stderr.write(renderPreview(entry, terminalLook(process.stderr)));
      progress = startProgress();
    },
    ...(canPrompt()
      ? {
          confirm: async (question: string, typed?: string) => {
            progress.stop();
            const answer = await confirm(question, typed);
            progress = startProgress();
            return answer;
          },
        }
      : {}),
    async uninterruptible(work, undo) {
      let interrupted = false;
      unfinished = undo;
      const release = onInterrupt(() => {
        interrupted = true;
        stage('finishing the change; press Ctrl-C again to exit at once');
      });
      try {
        return { result: await work(), interrupted };
      } finally {
        unfinished = undefined;
        release();
      }
    },
    interruptible: (work) => unlessInterrupted(work),
    close: () => progress.stop(),
    resume: () => {
      progress = startProgress();
    },
  };
}

/** The result of this work; undefined if Ctrl-C came first. */
async function unlessInterrupted<T>(work: () => Promise<T>): Promise<T | undefined> {
  let release = (): void => undefined;
  const interrupted = new Promise<undefined>((resolve) => {
    release = onInterrupt(() => resolve(undefined));
  });
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    release();
  }
}

/** The maximum delay of a Node timer, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Waits until a time with a countdown; returns false if Ctrl-C came first. */
export async function waitUntil(
  moment: Date,
  what: string,
  { stage }: Pick<Progress, 'stage'>,
): Promise<boolean> {
  const remaining = () => moment.getTime() - Date.now();
  const tick = setInterval(
    () => stage(`${what} in ${countdownText(remaining())}; Ctrl-C to do it now`, true),
    1000,
  );
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), Math.min(Math.max(remaining(), 0), longestTimer));
  });
  const ended = await unlessInterrupted(() => over);
  clearInterval(tick);
  clearTimeout(timer);
  return ended === true;
}
