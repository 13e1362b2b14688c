import { compareValues } from './collections.ts';
/** Seconds from one RFC 3339 time to a later one; undefined if the first is absent or invalid. */
export function secondsSince(then: string | undefined | null, now: string): number | undefined {
  const seconds = (Date.parse(now) - Date.parse(then ?? '')) / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** RFC 3339 in whole seconds, as the API writes times, and Go writes the current time if the zone is UTC. */
export const rfc3339 = (date: Date): string => wholeSeconds(date.toISOString());

/** An RFC 3339 time in UTC without its fraction of a second. */
export const wholeSeconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z');

const millisecondsPer: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a Go duration such as `1m30s`; undefined if it is invalid. Source: time.ParseDuration. */
export function parseGoDuration(text: string): number | undefined {
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g))
    total += Number(amount) * (millisecondsPer[unit ?? ''] ?? 0);
  return total;
}

/**
 * Sorts by times in RFC 3339, items without a time last. It compares bytes: localeCompare would load the rules
 * of a language, 6 ms.
 */
export function newestFirst<T>(items: readonly T[], timeOf: (item: T) => string | undefined): T[] {
  const timed = items.map((item) => ({ item, time: timeOf(item) ?? '' }));
  return timed.sort((a, b) => compareValues(b.time, a.time)).map(({ item }) => item);
}

/** Sorts by the time `at`, RFC 3339. */
export const oldestFirst = <T extends { readonly at: string }>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
