import { rfc3339 } from '../../basics/time.ts';

const unit = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const mark = /^@(-|~)(\d+)([smhd])$/;
type Span = `${number}${keyof typeof unit}`;

/** A mark for a time before the start of the cluster: `ago('12m')`; becomes a timestamp in the build. */
export const ago = (span: Span): string => `@-${span}`;
/** A mark for something that repeats with this period: between one and two periods ago. */
export const lately = (span: Span): string => `@~${span}`;

/** Reference times for marks. */
export interface Times {
  readonly started: Date;
  readonly now: Date;
  /** Lower bound for timestamps of the object. */
  readonly notBefore?: Date | undefined;
}

/** Replaces every mark in a value, at any depth, by its timestamp. */
export function settleTimes<T>(value: T, times: Times): T {
  if (typeof value === 'string') {
    const found = mark.exec(value);
    if (found === null) return value;
    const [, kind, count = '0', name = 's'] = found;
    const span = Number(count) * unit[name as keyof typeof unit];
    const now = times.now.getTime();
    const at = (kind === '~' ? now - (now % span) : times.started.getTime()) - span;
    return rfc3339(new Date(Math.max(at, times.notBefore?.getTime() ?? 0))) as T;
  }
  if (Array.isArray(value)) return value.map((entry) => settleTimes(entry, times)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, settleTimes(entry, times)]),
  ) as T;
}
