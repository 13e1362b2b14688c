/** Seconds from one RFC 3339 time to a later one; undefined when the first is not given or not a time. */
export function secondsSince(then: string | undefined | null, now: string): number | undefined {
  const seconds = (Date.parse(now) - Date.parse(then ?? '')) / 1000;
  return Number.isFinite(seconds) ? seconds : undefined;
}
