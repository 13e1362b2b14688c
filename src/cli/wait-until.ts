import { onInterrupt } from './interrupt.ts';
import type { Progress } from './progress.ts';

const left = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
};

/** Longest timer that Node takes at once, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Waits until a moment, counting down; false when Ctrl-C came first. */
export async function waitUntil(
  moment: Date,
  what: string,
  { stage }: Pick<Progress, 'stage'>,
): Promise<boolean> {
  const remaining = () => moment.getTime() - Date.now();
  const tick = setInterval(
    () => stage(`${what} in ${left(remaining())}; Ctrl-C asks whether to do it now`),
    1000,
  );
  let timer: NodeJS.Timeout | undefined;
  let release: () => void = () => undefined;
  try {
    return await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), Math.min(Math.max(remaining(), 0), longestTimer));
      release = onInterrupt(() => resolve(false));
    });
  } finally {
    clearInterval(tick);
    clearTimeout(timer);
    release();
  }
}
