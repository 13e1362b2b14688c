const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const mark = /^@-(\d+)([smhd])$/;

/** A moment before the cluster is looked at: `ago('12m')`. Becomes a timestamp when the cluster is built. */
export const ago = (span: `${number}${keyof typeof unit}`): string => `@-${span}`;

/** RFC 3339 in whole seconds, as the API writes it. */
const timestamp = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/** Replaces every mark in a value, however deep, by its timestamp. */
export function settleTimes<T>(value: T, now: Date): T {
  if (typeof value === 'string') {
    const found = mark.exec(value);
    if (found === null) return value;
    const [, count = '0', name = 's'] = found;
    return timestamp(now.getTime() - Number(count) * unit[name as keyof typeof unit]) as T;
  }
  if (Array.isArray(value)) return value.map((entry) => settleTimes(entry, now)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, settleTimes(entry, now)])) as T;
}
