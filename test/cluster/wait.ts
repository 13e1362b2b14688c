import { setTimeout as sleep } from 'node:timers/promises';

/** In CI, suites run at the same time: long waits and the limits of cases are longer, which costs only what fails. */
export const patience = process.env.CI === 'true' ? 3 : 1;

export interface WaitOptions {
  /** Milliseconds; 60 000 by default, for a busy machine. From 30 000 on, {@link patience} applies. */
  readonly timeout?: number;
  /** Milliseconds between two attempts; 100 by default. */
  readonly interval?: number;
}

/** Thrown by a condition that can no longer be met: ends the wait at once. */
export class HopelessError extends Error {
  override readonly name = 'HopelessError';
}

/**
 * Repeats `look` until it returns something other than undefined, null or false, and returns that. An error
 * of `look` means "not yet"; the last one is reported after the timeout.
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  options: WaitOptions = {},
): Promise<T> {
  const { timeout: given = 60_000 } = options;
  const timeout = given < 30_000 ? given : given * patience;
  const deadline = Date.now() + timeout;
  let last = '';
  do {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== null && seen !== false) return seen;
      last = '';
    } catch (error) {
      if (error instanceof HopelessError) throw error;
      last = error instanceof Error ? error.message : String(error);
    }
    await sleep(options.interval ?? 100);
  } while (Date.now() < deadline);
  throw new Error(`Waited ${timeout / 1000} s for ${what}${last ? `; last answer: ${last}` : ''}`);
}
