import { authorizationMethods } from './authorization-functions.ts';
import { mayGrowTo } from './cost.ts';
import { format, shortestDouble } from './format.ts';
import { kubernetesFunctions, kubernetesMethods, setFunctions } from './kubernetes-functions.ts';
import { listFunctions, listMethods } from './list-functions.ts';
import { namespacedNetworkFunctions, networkFunctions, networkMethods } from './network-functions.ts';
import { byName, type Overload, overload } from './overload.ts';
import { timeFunctions, timeMethods } from './time-functions.ts';
import {
  allOf,
  CelError,
  type CelMap,
  type CelOptional,
  type CelUint,
  type CelValue,
  NotEvaluable,
  noConversion,
  typeName,
} from './value.ts';
import { versionFunctions, versionMethods } from './version-functions.ts';

const text = (
  name: string,
  more: readonly string[],
  run: (of: string, ...args: never[]) => CelValue,
): Overload =>
  overload(name, ['string', ...more], run as unknown as (...args: readonly CelValue[]) => CelValue);

const ascii = (of: string, change: (letter: string) => string, letters: RegExp): string =>
  of.replace(letters, change);

/** Converts a position in UTF-16 units to a position in characters. */
const characterAt = (of: string, at: number): bigint => (at < 0 ? -1n : BigInt([...of.slice(0, at)].length));

/** A position in characters; must be between 0 and the length, inclusive. */
function position(of: readonly string[], at: bigint): number {
  if (at < 0n || at > BigInt(of.length)) throw new CelError(`index out of range: ${at}`);
  return Number(at);
}

function substring(of: string, start: bigint, end?: bigint): string {
  const characters = [...of];
  const last = end ?? BigInt(characters.length);
  const from = position(characters, start);
  const to = position(characters, last);
  if (from > to) throw new CelError(`invalid substring range. start: ${start}, end: ${last}`);
  return characters.slice(from, to).join('');
}

/** Go's strings.SplitN. */
function split(of: string, separator: string, most = -1n): readonly string[] {
  if (most === 0n) return [];
  const parts = separator === '' ? [...of] : of.split(separator);
  if (most < 0n || BigInt(parts.length) <= most) return parts;
  const kept = Number(most) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
}

/** Go's strings.Replace. An empty `what` is not supported. */
function replace(of: string, what: string, by: string, most = -1n): string {
  if (what === '') throw new NotEvaluable();
  const parts = split(of, what, most < 0n ? -1n : most + 1n);
  mayGrowTo(of.length + parts.length * by.length);
  return parts.join(by);
}

/** Trims the white space that Unicode, Go and JavaScript define alike. */
function trim(of: string): string {
  const trimmed = of.replace(/^[\t\n\v\f\r ]+|[\t\n\v\f\r ]+$/g, '');
  if (/^[^\x21-\x7e]|[^\x21-\x7e]$/.test(trimmed)) throw new NotEvaluable();
  return trimmed;
}

/** Methods of strings: CEL's own and those of cel-go ext/strings.go, version 2. */
const textMethods: readonly Overload[] = [
  text('startsWith', ['string'], (of, start: string) => of.startsWith(start)),
  text('endsWith', ['string'], (of, end: string) => of.endsWith(end)),
  text('contains', ['string'], (of, part: string) => of.includes(part)),
  text('lowerAscii', [], (of) => ascii(of, (letter) => letter.toLowerCase(), /[A-Z]/g)),
  text('upperAscii', [], (of) => ascii(of, (letter) => letter.toUpperCase(), /[a-z]/g)),
  text('trim', [], trim),
  text('split', ['string'], split),
  text('split', ['string', 'int'], split),
  text('replace', ['string', 'string'], replace),
  text('replace', ['string', 'string', 'int'], replace),
  text('format', ['list'], format),
  text('substring', ['int'], substring),
  text('substring', ['int', 'int'], substring),
  text('charAt', ['int'], (of, at: bigint) => {
    const characters = [...of];
    return characters[position(characters, at)] ?? '';
  }),
  text('indexOf', ['string'], (of, part: string) => characterAt(of, of.indexOf(part))),
  text('lastIndexOf', ['string'], (of, part: string) => characterAt(of, of.lastIndexOf(part))),
];

const characters = (text: string): bigint => BigInt([...text].length);

const sizes: readonly Overload[] = [
  overload('size', ['string'], characters),
  overload('size', ['bytes'], (bytes: Uint8Array) => BigInt(bytes.length)),
  overload('size', ['list'], (list: readonly CelValue[]) => BigInt(list.length)),
  overload('size', ['map'], (of: CelMap) => BigInt(allOf(of).length)),
];

/** Go's strconv.ParseInt in base 10. */
function parseInteger(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw noConversion('int');
  const value = BigInt(text.replace(/^\+/, ''));
  if (value !== BigInt.asIntN(64, value)) throw noConversion('int');
  return value;
}

function truncated(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}

const truths = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseTexts = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function parseBool(text: string): boolean {
  if (truths.has(text)) return true;
  if (falseTexts.has(text)) return false;
  throw noConversion('bool');
}

function parseDouble(text: string): number {
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text);
  // A number without a digit is infinity or NaN, and a number contains only these letters.
  if (/\d|inf|nan/i.test(text) && /^[\da-fintyxp_+.-]*$/i.test(text)) throw new NotEvaluable();
  throw noConversion('double');
}

const same = (value: CelValue): CelValue => value;

/** Conversions between types, `type` and `dyn`. */
const conversions: readonly Overload[] = [
  overload('int', ['int'], same),
  overload('int', ['double'], truncated),
  overload('int', ['uint'], ({ value }: CelUint) => value),
  overload('int', ['string'], parseInteger),
  overload('double', ['double'], same),
  overload('double', ['int'], (value: bigint) => Number(value)),
  overload('double', ['uint'], ({ value }: CelUint) => Number(value)),
  overload('double', ['string'], parseDouble),
  overload('string', ['string'], same),
  overload('string', ['int'], (value: bigint) => `${value}`),
  overload('string', ['uint'], ({ value }: CelUint) => `${value}`),
  overload('string', ['bool'], (value: boolean) => `${value}`),
  overload('string', ['double'], shortestDouble),
  overload('bool', ['bool'], same),
  overload('bool', ['string'], parseBool),
  overload('dyn', ['dyn'], same),
  overload('type', ['dyn'], (value: CelValue) => ({ is: 'type', name: typeName(value) })),
];

export type { CelFunction } from './overload.ts';

const optionalMethods: readonly Overload[] = [
  overload('hasValue', ['optional_type'], ({ value }: CelOptional) => value !== undefined),
  overload('value', ['optional_type'], ({ value }: CelOptional) => {
    if (value === undefined) throw new CelError('optional.none() dereference');
    return value;
  }),
];

const optionalFunctions: readonly Overload[] = [
  overload('optional.none', [], () => ({ is: 'optional' })),
  overload('optional.of', ['dyn'], (value: CelValue) => ({ is: 'optional', value })),
];

/** Global functions, by name. */
export const functions = byName([
  ...conversions,
  ...sizes,
  ...kubernetesFunctions,
  ...networkFunctions,
  ...versionFunctions,
  ...timeFunctions,
]);

/** Functions of a namespace, by their full name. */
export const namespaced = byName([
  ...setFunctions,
  ...optionalFunctions,
  ...listFunctions,
  ...namespacedNetworkFunctions,
]);

/** Methods, by name; the receiver is the first argument. */
export const methods = byName([
  ...sizes,
  ...textMethods,
  ...listMethods,
  ...optionalMethods,
  ...kubernetesMethods,
  ...networkMethods,
  ...versionMethods,
  ...timeMethods,
  ...authorizationMethods,
]);
