import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** Milliseconds; 60 000 by default, generous because a busy machine is no failure. */
  readonly timeout?: number;
  /** Milliseconds between two looks; 100 by default. */
  readonly interval?: number;
}

/** Thrown from inside a condition that can never come true any more: ends the wait at once. */
export class HopelessError extends Error {
  override readonly name = 'HopelessError';
}

/**
 * Looks until `look` returns something other than undefined, null or false, and returns that. An error that `look`
 * throws means "not yet"; the last one is told when the time is over.
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  options: WaitOptions = {},
): Promise<T> {
  const timeout = options.timeout ?? 60_000;
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
