import type { Ora } from 'ora';
import { harmless } from '../render/harmless.ts';
import { isLively, terminalLook } from './terminal.ts';

/** Shows what is being waited for, and for how long. */
export interface Progress {
  /** What is under way now: `reading Pods`. */
  stage(text: string): void;
  /** Takes the line away again. May be called twice. */
  stop(): void;
}

/** A run that ends sooner needs no spinner, and does not load one. */
const patience = 150;
const spinners = {
  unicode: { interval: 80, frames: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'] },
  ascii: { interval: 130, frames: [...'-\\|/'] },
};
const clearLine = '\r\u001b[K';

/**
 * One line on stderr, on terminals only; elsewhere nothing at all. The first text stands there at once, before the
 * spinner's library is loaded.
 */
export function startProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!isLively(stream)) return { stage: () => undefined, stop: () => undefined };
  const { colour, unicode } = terminalLook(stream);
  const started = performance.now();
  let text = 'reading the cluster';
  let spinner: Ora | undefined;
  let stopped = false;
  const elapsed = (): string => {
    const seconds = Math.floor((performance.now() - started) / 1000);
    return seconds < 2 ? '' : `${seconds} s`;
  };
  /** In one row, which is all that is cleared again: `… ` in front, and the time behind. */
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
      // It was decided above. ora itself never returns where a terminal reports 0 columns (9.4.1).
      isEnabled: true,
      // Ctrl-C stays ours, and a killed run leaves the cursor visible.
      discardStdin: false,
      hideCursor: false,
    }).start();
  };
  const timer = setTimeout(() => void spin(), patience);
  still();
  return {
    stage(next) {
      text = harmless(next);
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
