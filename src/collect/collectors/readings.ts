import { type Lookup, lookup } from '../../facts/lookup.ts';
import type { Unread } from '../../facts/unread.ts';
import { isRead, type Reading } from '../attempts.ts';

/** What was seen did not call for this read. No loss, and never listed as one. */
export const notRequested = (what: string): Unread => ({ what, why: 'not-requested' });

/** A lookup over one reading per key; a reading of `undefined` is a known absence. */
export function fromReadings<V>(
  readings: ReadonlyMap<string, Reading<V | undefined>>,
  rest: Unread,
): Lookup<V> {
  const entries = new Map<string, V>();
  for (const [key, reading] of readings) {
    if (isRead(reading) && reading.value !== undefined) entries.set(key, reading.value);
  }
  const missing = (key: string) => {
    const reading = readings.get(key);
    if (reading === undefined) return rest;
    return isRead(reading) ? undefined : reading.unread;
  };
  return lookup(entries, missing, rest);
}
