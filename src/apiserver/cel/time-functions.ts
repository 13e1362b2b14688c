import { type Overload, overload } from './overload.ts';
import { type CelDuration, CelError, type CelTimestamp, NotEvaluable, noConversion } from './value.ts';

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

/** 0001-01-01 to the end of 9999 in nanoseconds since 1970. Go's durations have 63 bits. */
const [earliest, latest] = [-62_135_596_800n * billion, 253_402_300_800n * billion - 1n];

/** Creates a duration. Throws {@link NotEvaluable} if it is out of range: cel-go's error is not known here. */
export function durationOf(nanoseconds: bigint): CelDuration {
  if (nanoseconds !== BigInt.asIntN(64, nanoseconds)) throw new NotEvaluable();
  return { is: duration, nanoseconds };
}

/** As {@link durationOf}. */
export function timestampOf(nanoseconds: bigint): CelTimestamp {
  if (nanoseconds < earliest || nanoseconds > latest) throw new NotEvaluable();
  return { is: timestamp, nanoseconds };
}

/** Maximum characters: a longer duration has insignificant digits, and parsing takes long. */
const longestRead = 100;

/** Nine digits of a fraction of a second. */
const fraction = (digits: string): bigint => BigInt(digits.slice(0, 9).padEnd(9, '0'));

/** Durations that Go may accept: numbers with units, in any order. */
const perhapsDuration = /^[-+]?(?:\d*\.?\d*(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** Go's time.ParseDuration. */
function parseDuration(text: string): CelDuration {
  if (text.length > longestRead) throw new NotEvaluable();
  if (/^[-+]?0$/.test(text)) return durationOf(0n);
  if (!perhapsDuration.test(text)) throw noConversion(duration);
  const parts = [...text.matchAll(/(\d+)(?:\.(\d{1,9}))?(ns|us|µs|ms|s|m|h)/g)];
  const isWhole = parts.map(([part]) => part).join('') === text.replace(/^[-+]/, '');
  if (parts.length === 0 || !isWhole) throw new NotEvaluable();
  const total = parts.reduce((sum, [, whole = '', digits = '', unit = '']) => {
    const size = units[unit] ?? 0n;
    return sum + BigInt(whole) * size + (fraction(digits) * size) / billion;
  }, 0n);
  if (total >= 2n ** 63n) throw noConversion(duration);
  return durationOf(text.startsWith('-') ? -total : total);
}

const moment = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
/** Timestamps that Go may accept: also hours of one digit, a comma and longer fractions. */
const perhapsMoment = /^\d{4}-\d\d-\d\dT\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Parses RFC 3339 as Go's time.Parse does. */
function parseTimestamp(text: string): CelTimestamp {
  if (!perhapsMoment.test(text)) throw noConversion(timestamp);
  const [, date = '', time, digits = '', offset] = moment.exec(text) ?? [];
  const milliseconds = Date.parse(`${date}T${time}${offset}`);
  // JavaScript maps a day after the end of the month to the next month; Go returns an error.
  const day = Date.parse(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
  if (date !== '' && !exists) throw noConversion(timestamp);
  if (Number.isNaN(milliseconds)) throw new NotEvaluable();
  const of = timestampOf(BigInt(milliseconds) * 1_000_000n + fraction(digits));
  return { ...of, isUtc: offset === 'Z' };
}

const dateOf = ({ nanoseconds }: CelTimestamp): Date =>
  new Date(Number((nanoseconds - (((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n));

/** A date component in UTC, or in a time zone. */
const ofDate = (name: string, part: (date: Date) => number): readonly Overload[] => [
  overload(name, [timestamp], (of: CelTimestamp) => BigInt(part(dateOf(of)))),
  overload(name, [timestamp, 'string'], (of: CelTimestamp, zone: string) => {
    const date = dateOf(of);
    return BigInt(part(new Date(date.getTime() + minutesEast(zone, date) * 60_000)));
  }),
];

/** A time zone name of the IANA database. Go uses it as a file path. */
const zoneName = /^[A-Z][A-Za-z_]*(?:\/[A-Z][A-Za-z_]*)*$/;

/**
 * Offset of a time zone from UTC at a timestamp, in minutes: `+02:00`, `02:00` or a name (cel-go
 * common/types/timestamp.go). Throws {@link NotEvaluable} for the local zone of the API server, and for other
 * spellings.
 */
function minutesEast(zone: string, date: Date): number {
  const [, sign, hours, minutes] = /^([+-]?)(\d{1,2}):(\d{1,2})$/.exec(zone) ?? [];
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (zone === '' || zone === 'UTC') return 0;
  if (zone === 'Local' || !zoneName.test(zone)) throw new NotEvaluable();
  let parts: readonly Intl.DateTimeFormatPart[];
  try {
    parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(date);
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  if (offset === 'GMT') return 0;
  if (!/^GMT[+-]\d\d:\d\d$/.test(offset)) throw new NotEvaluable();
  return minutesEast(offset.slice('GMT'.length), date);
}

const ofDuration = (name: string, size: bigint): Overload =>
  overload(name, [duration], ({ nanoseconds }: CelDuration) => nanoseconds / size);

const startOfYear = (date: Date): number => Date.parse(`${date.toISOString().slice(0, 4)}-01-01T00:00:00Z`);

/** A fraction of a second with its decimal point and without trailing zeros; empty if it is zero. */
const fractionText = (nanoseconds: bigint): string =>
  nanoseconds === 0n ? '' : `.${`${nanoseconds}`.padStart(9, '0').replace(/0+$/, '')}`;

/** RFC 3339. Throws {@link NotEvaluable} if it was not written in UTC. */
export function writtenTimestamp(of: CelTimestamp): string {
  if (of.isUtc !== true) throw new NotEvaluable();
  const within = ((of.nanoseconds % billion) + billion) % billion;
  return `${dateOf(of).toISOString().slice(0, 19)}${fractionText(within)}Z`;
}

/** In seconds. Throws {@link NotEvaluable} for more than 2^53 nanoseconds: Go prints the nearest double. */
export function writtenDuration({ nanoseconds }: CelDuration): string {
  if (nanoseconds > 2n ** 53n || nanoseconds < -(2n ** 53n)) throw new NotEvaluable();
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${nanoseconds < 0n ? '-' : ''}${size / billion}${fractionText(size % billion)}s`;
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
  overload('string', [timestamp], writtenTimestamp),
  overload('string', [duration], writtenDuration),
];

/** Components of a timestamp in UTC or in a time zone, and of a duration. */
export const timeMethods: readonly Overload[] = [
  ...ofDate('getFullYear', (date) => date.getUTCFullYear()),
  ...ofDate('getMonth', (date) => date.getUTCMonth()),
  ...ofDate('getDate', (date) => date.getUTCDate()),
  ...ofDate('getDayOfMonth', (date) => date.getUTCDate() - 1),
  ...ofDate('getDayOfWeek', (date) => date.getUTCDay()),
  ...ofDate('getDayOfYear', (date) => Math.floor((date.getTime() - startOfYear(date)) / 86_400_000)),
  ...ofDate('getHours', (date) => date.getUTCHours()),
  ...ofDate('getMinutes', (date) => date.getUTCMinutes()),
  ...ofDate('getSeconds', (date) => date.getUTCSeconds()),
  ...ofDate('getMilliseconds', (date) => date.getUTCMilliseconds()),
  ofDuration('getHours', units.h ?? 1n),
  ofDuration('getMinutes', units.m ?? 1n),
  ofDuration('getSeconds', billion),
  ofDuration('getMilliseconds', 1_000_000n),
];
