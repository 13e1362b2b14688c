import { type Cursor, isNext, Malformed, readDer, tags } from './der.ts';

/** A time in a certificate. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** RFC 3339, in the time zone of the certificate. */
  readonly text: string;
}

const utcTime = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?(Z|[+-]\d{4})$/;
const generalizedTime = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(Z|[+-]\d{4})$/;

function moment(match: RegExpExecArray, year: number): Moment | undefined {
  const [, , month = '', day = '', hour = '', minute = '', second = '00', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(year, Number(month) - 1, Number(day));
  const real = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!real || hour > '23' || minute > '59' || second > '59' || /^[+-]0000$/.test(zone)) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3, 5))];
  if (hours > 23 || minutes > 59) return undefined;
  const offset = zone === 'Z' ? 0 : (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
  const local = `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`;
  const suffix = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  return { at: date.getTime() - offset * 60_000, text: `${local}${suffix}` };
}

/** UTCTime (years 1950 to 2049) or GeneralizedTime (cryptobyte ReadASN1UTCTime, ReadASN1GeneralizedTime). */
export function readTime(cursor: Cursor): Moment {
  const short = isNext(cursor, tags.utcTime);
  if (!short && !isNext(cursor, tags.generalizedTime)) throw new Malformed('x509: unsupported time format');
  const words = `x509: malformed ${short ? 'UTCTime' : 'GeneralizedTime'}`;
  const text = readDer(cursor, short ? tags.utcTime : tags.generalizedTime, words).toString('latin1');
  const match = (short ? utcTime : generalizedTime).exec(text);
  const year = Number(match?.[1]);
  const found = match === null ? undefined : moment(match, short ? year + (year < 50 ? 2000 : 1900) : year);
  if (found === undefined) throw new Malformed(words);
  return found;
}
