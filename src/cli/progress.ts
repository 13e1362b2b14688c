import type { Ora } from 'ora';
import { harmless } from '../render/text/harmless.ts';
import { isLively, terminalLook } from './terminal.ts';

/** Shows what the program is waiting for, and for how long. */
export interface Progress {
  /** Sets the current step: `reading Pods`. The elapsed time follows, except after a countdown. */
  stage(text: string, isCountdown?: boolean): void;
  /** Clears the line. May be called twice. */
  stop(): void;
}

/** Milliseconds before the spinner is loaded and shown. */
const patience = 150;
const spinners = {
  unicode: { interval: 80, frames: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'] },
  ascii: { interval: 130, frames: [...'-\\|/'] },
};
const clearLine = '\r\u001b[K';

/** A progress line on stderr, on terminals only. The first text precedes the spinner's library. */
export function startProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!isLively(stream)) return { stage: () => undefined, stop: () => undefined };
  const { colour, unicode } = terminalLook(stream);
  const started = performance.now();
  let text = 'reading the cluster';
  let spinner: Ora | undefined;
  let stopped = false;
  let hasCountdown = false;
  const elapsed = (): string => {
    const seconds = Math.floor((performance.now() - started) / 1000);
    return seconds < 2 || hasCountdown ? '' : `${seconds} s`;
  };
  /** Cuts the text to one row, since only one row is cleared again, with space for `… ` and the duration. */
  const inRow = (): string => text.slice(0, Math.max((stream.columns || 80) - 12, 8));
  const still = (): void => {
    stream.write(`${clearLine}${unicode ? '…' : '...'} ${inRow()}`);
  };
  const spin = async (): Promise<void> => {
    const { default: ora } = await import('ora');
    if (stopped) return;
    stream.write(clearLine);
    spinner = ora({
      text: inRow(),
      suffixText: elapsed,
      spinner: unicode ? spinners.unicode : spinners.ascii,
      color: colour ? 'cyan' : false,
      stream,
      // Decided above. ora itself never returns if a terminal reports 0 columns (9.4.1).
      isEnabled: true,
      // Ctrl-C is handled by this program, and the cursor stays visible even if the process is killed.
      discardStdin: false,
      hideCursor: false,
    }).start();
  };
  const timer = setTimeout(() => void spin(), patience);
  still();
  return {
    stage(next, isCountdown = false) {
      text = harmless(next);
      hasCountdown = isCountdown;
      if (stopped) return;
      if (spinner === undefined) still();
      else spinner.text = inRow();
    },
    stop() {
      if (stopped) return;
      stopped = true;
      clearTimeout(timer);
      if (spinner === undefined) stream.write(clearLine);
      else spinner.stop();
    },
  };
}
