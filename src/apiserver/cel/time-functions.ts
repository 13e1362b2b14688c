import { type Overload, overload } from './overload.ts';
import { CannotTell, type CelDuration, type CelTimestamp } from './value.ts';

const duration = 'google.protobuf.Duration';
const timestamp = 'google.protobuf.Timestamp';

const billion = 1_000_000_000n;
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: billion,
  m: 60n * billion,
  h: 3600n * billion,
};

/** 0001-01-01 to the end of 9999 in nanoseconds since 1970; Go's durations end at 63 bits. */
const [earliest, latest] = [-62_135_596_800n * billion, 253_402_300_800n * billion - 1n];

/** Throws {@link CannotTell} where cel-go has an error in its own words. */
export function durationOf(nanoseconds: bigint): CelDuration {
  if (nanoseconds !== BigInt.asIntN(64, nanoseconds)) throw new CannotTell();
  return { is: duration, nanoseconds };
}

/** As {@link durationOf}. */
export function timestampOf(nanoseconds: bigint): CelTimestamp {
  if (nanoseconds < earliest || nanoseconds > latest) throw new CannotTell();
  return { is: timestamp, nanoseconds };
}

/** Characters: a longer duration has digits that count for nothing, and takes long to read. */
const longestRead = 100;

/** Nine digits of a fraction of a second. */
const fraction = (digits: string): bigint => BigInt(digits.slice(0, 9).padEnd(9, '0'));

/** Go's time.ParseDuration. */
function parseDuration(text: string): CelDuration {
  if (text.length > longestRead) throw new CannotTell();
  const parts = [...text.matchAll(/(\d+)(?:\.(\d{1,9}))?(ns|us|µs|ms|s|m|h)/g)];
  const isWhole = parts.map(([part]) => part).join('') === text.replace(/^[-+]/, '');
  if (parts.length === 0 || !isWhole) throw new CannotTell();
  const total = parts.reduce((sum, [, whole = '', digits = '', unit = '']) => {
    const size = units[unit] ?? 0n;
    return sum + BigInt(whole) * size + (fraction(digits) * size) / billion;
  }, 0n);
  return durationOf(text.startsWith('-') ? -total : total);
}

const moment = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** RFC 3339, as Go's time.Parse reads it. */
function parseTimestamp(text: string): CelTimestamp {
  const [, date = '', time, digits = '', offset] = moment.exec(text) ?? [];
  const milliseconds = Date.parse(`${date}T${time}${offset}`);
  // A day that the month does not have is one of the next month here, and none in Go.
  const day = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(milliseconds) || !new Date(day).toISOString().startsWith(date)) throw new CannotTell();
  const of = timestampOf(BigInt(milliseconds) * 1_000_000n + fraction(digits));
  return { ...of, isUtc: offset === 'Z' };
}

const dateOf = ({ nanoseconds }: CelTimestamp): Date =>
  new Date(Number((nanoseconds - (((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n));

const ofDate = (name: string, part: (date: Date) => number): Overload =>
  overload(name, [timestamp], (of: CelTimestamp) => BigInt(part(dateOf(of))));

const ofDuration = (name: string, size: bigint): Overload =>
  overload(name, [duration], ({ nanoseconds }: CelDuration) => nanoseconds / size);

const startOfYear = (date: Date): number => Date.parse(`${date.toISOString().slice(0, 4)}-01-01T00:00:00Z`);

/** A fraction of a second without zeros at its end, its point before it; nothing where it is whole. */
const fractionText = (nanoseconds: bigint): string =>
  nanoseconds === 0n ? '' : `.${`${nanoseconds}`.padStart(9, '0').replace(/0+$/, '')}`;

function timestampText(of: CelTimestamp): string {
  if (of.isUtc !== true) throw new CannotTell();
  const within = ((of.nanoseconds % billion) + billion) % billion;
  return `${dateOf(of).toISOString().slice(0, 19)}${fractionText(within)}Z`;
}

/** Conversions from and to text and numbers (cel-go common/types/{duration,timestamp}.go). */
export const timeFunctions: readonly Overload[] = [
  overload('duration', ['string'], parseDuration),
  overload('duration', [duration], (of: CelDuration) => of),
  overload('timestamp', ['string'], parseTimestamp),
  overload('timestamp', ['int'], (seconds: bigint) => timestampOf(seconds * billion)),
  overload('timestamp', [timestamp], (of: CelTimestamp) => of),
  overload('int', [duration], ({ nanoseconds }: CelDuration) => nanoseconds),
  overload('int', [timestamp], ({ nanoseconds }: CelTimestamp) => {
    const down = nanoseconds < 0n && nanoseconds % billion !== 0n ? 1n : 0n;
    return nanoseconds / billion - down;
  }),
  overload('string', [timestamp], timestampText),
  overload('string', [duration], ({ nanoseconds }: CelDuration) => {
    // Go prints the nearest double, which these digits may not be.
    if (nanoseconds > 2n ** 53n || nanoseconds < -(2n ** 53n)) throw new CannotTell();
    const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
    return `${nanoseconds < 0n ? '-' : ''}${size / billion}${fractionText(size % billion)}s`;
  }),
];

/** Parts of a moment, by UTC, and of a duration as a whole. */
export const timeMethods: readonly Overload[] = [
  ofDate('getFullYear', (date) => date.getUTCFullYear()),
  ofDate('getMonth', (date) => date.getUTCMonth()),
  ofDate('getDate', (date) => date.getUTCDate()),
  ofDate('getDayOfMonth', (date) => date.getUTCDate() - 1),
  ofDate('getDayOfWeek', (date) => date.getUTCDay()),
  ofDate('getDayOfYear', (date) => Math.floor((date.getTime() - startOfYear(date)) / 86_400_000)),
  ofDate('getHours', (date) => date.getUTCHours()),
  ofDate('getMinutes', (date) => date.getUTCMinutes()),
  ofDate('getSeconds', (date) => date.getUTCSeconds()),
  ofDate('getMilliseconds', (date) => date.getUTCMilliseconds()),
  ofDuration('getHours', units.h ?? 1n),
  ofDuration('getMinutes', units.m ?? 1n),
  ofDuration('getSeconds', billion),
  ofDuration('getMilliseconds', 1_000_000n),
];
