/** Seconds from one RFC 3339 time to a later one; undefined if the first is absent or invalid. */
export function secondsSince(then: string | undefined | null, now: string): number | undefined {
  const seconds = (Date.parse(now) - Date.parse(then ?? '')) / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}

/**
 * RFC 3339 in whole seconds, as the API writes times, and Go writes the current time if the time zone is UTC.
 */
export const rfc3339 = (date: Date): string => wholeSeconds(date.toISOString());

/** An RFC 3339 time in UTC without its fraction of a second. */
export const wholeSeconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z');
