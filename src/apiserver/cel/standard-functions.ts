import { shortestDouble } from './format.ts';
import { type Overload, overload } from './overload.ts';
import {
  allOf,
  CelError,
  type CelMap,
  type CelUint,
  type CelValue,
  NotEvaluable,
  noConversion,
  typeName,
} from './value.ts';

const characters = (text: string): bigint => BigInt([...text].length);

/** `size(x)` and `x.size()`. */
export const sizes: readonly Overload[] = [
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
export const conversions: readonly Overload[] = [
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
