import { mayGrowTo } from './cost.ts';
import { compareText } from './operators.ts';
import { writtenDuration, writtenTimestamp } from './time-functions.ts';
import {
  allOf,
  CelError,
  type CelValue,
  isDuration,
  isList,
  isMap,
  isTimestamp,
  isUint,
  NotEvaluable,
  tagged,
  typeName,
} from './value.ts';

/** The output of a formatting clause: text, or undefined if the clause does not accept the value's type. */
interface Clause {
  readonly write: (value: CelValue, precision: number) => string | undefined;
  /** The start of the error for another type. */
  readonly accepts: string;
}

function integer(value: CelValue): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return isUint(value) ? value.value : undefined;
}

const inBase =
  (base: number) =>
  (value: CelValue): string | undefined =>
    integer(value)?.toString(base);

function hexadecimal(value: CelValue): string | undefined {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : inBase(16)(value);
}

/** Go's strconv.FormatFloat with format `g` and the shortest digits. */
export function shortestDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return Object.is(value, -0) ? '-0' : `${value}`;
  return `${digits}e${exponent < 0 ? '-' : '+'}${`${Math.abs(exponent)}`.padStart(2, '0')}`;
}

/** Maximum decimal digits of `toFixed`. */
const mostDigits = 100;

/** Rounds half to even, as Go does. Throws {@link NotEvaluable} if `toFixed` returns an exponent. */
function rounded(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21 || precision > mostDigits) throw new NotEvaluable();
  const text = value.toFixed(precision);
  const [, rest = ''] = value.toFixed(mostDigits).split('.');
  const isTie = /^50*$/.test(rest.slice(precision));
  if (!isTie || /[02468]$/.test(text)) return text;
  // JavaScript rounds half away from zero.
  const unit = 10 ** -precision;
  return (value - Math.sign(value) * unit * 0.5).toFixed(precision);
}

/** With English thousands separators, as golang.org/x/text prints them. */
function fixedPoint(value: CelValue, precision: number): string | undefined {
  if (value === 'NaN') return 'NaN';
  if (value === 'Infinity') return '∞';
  if (value === '-Infinity') return '-∞';
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) throw new NotEvaluable();
  const [integer = '', digits] = rounded(value, precision).split('.');
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, ',');
  return digits === undefined ? grouped : `${grouped}.${digits}`;
}

/** A value within a list or a map. */
function inner(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return fixedPoint(value, 6)?.replaceAll(',', '') ?? '';
  const text = written(value);
  if (text === undefined) throw new NotEvaluable();
  if (isDuration(value)) return `duration("${text}")`;
  if (isTimestamp(value)) return `timestamp("${text}")`;
  return value instanceof Uint8Array ? `b"${text}"` : text;
}

/** Throws {@link NotEvaluable} for bytes that are not UTF-8. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString();
  if (Buffer.compare(Buffer.from(text), bytes) !== 0) throw new NotEvaluable();
  return text;
}

function written(value: CelValue): string | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return `${value}`;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return shortestDouble(value);
  if (isUint(value)) return `${value.value}`;
  if (isDuration(value)) return writtenDuration(value);
  if (isTimestamp(value)) return writtenTimestamp(value);
  if (value instanceof Uint8Array) return textOf(value);
  if (isList(value)) return `[${value.map(inner).join(', ')}]`;
  if (isMap(value)) {
    const entries = allOf(value).map(([key, item]) => [inner(key), inner(item)] as const);
    const byKey = entries.toSorted(([a], [b]) => compareText(a, b));
    return `{${byKey.map((entry) => entry.join(':')).join(', ')}}`;
  }
  const of = tagged(value);
  if (of?.is === 'type') return of.name;
  throw new NotEvaluable();
}

const clauses: Readonly<Record<string, Clause>> = {
  s: {
    write: written,
    accepts:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { write: inBase(10), accepts: 'decimal clause can only be used on integers' },
  f: { write: fixedPoint, accepts: 'fixed-point clause can only be used on doubles' },
  b: {
    write: (value) => (typeof value === 'boolean' ? `${Number(value)}` : inBase(2)(value)),
    accepts: 'only integers and bools can be formatted as binary',
  },
  o: { write: inBase(8), accepts: 'octal clause can only be used on integers' },
  x: { write: hexadecimal, accepts: 'only integers, byte buffers, and strings can be formatted as hex' },
  X: {
    write: (value) => hexadecimal(value)?.toUpperCase(),
    accepts: 'only integers, byte buffers, and strings can be formatted as hex',
  },
};

/** Digits after the decimal point if the clause has no precision. */
const defaultPrecision = 6;

/**
 * `format` of cel-go ext/formatting.go. Throws {@link NotEvaluable} for `%e`, and for formats that the API
 * server's compiler rejects: the API server does not store such an expression.
 */
export function format(of: string, values: readonly CelValue[]): string {
  let [at, length] = [0, of.length];
  const text = of.replace(/%(?:\.(\d{1,3}))?(.?)/gs, (_, precision: string | undefined, letter: string) => {
    if (letter === '%' && precision === undefined) return '%';
    const [clause, value] = [clauses[letter], values[at]];
    if (clause === undefined || value === undefined) throw new NotEvaluable();
    at += 1;
    const made = clause.write(value, Number(precision ?? defaultPrecision));
    if (made === undefined)
      throw new CelError(`error during formatting: ${clause.accepts}, was given ${typeName(value)}`);
    length += made.length;
    mayGrowTo(length);
    return made;
  });
  if (at !== values.length) throw new NotEvaluable();
  return text;
}
