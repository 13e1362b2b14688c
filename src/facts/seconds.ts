/** Seconds from one RFC 3339 time to a later one; undefined when the first is not given or not a time. */
export function secondsSince(then: string | undefined | null, now: string): number | undefined {
  const seconds = (Date.parse(now) - Date.parse(then ?? '')) / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** RFC 3339 in whole seconds, as the API writes times, and Go the current one where the clock is UTC. */
export const rfc3339 = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');
