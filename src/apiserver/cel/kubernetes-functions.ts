import { RE2JS } from 're2js';
import { compareValues } from '../../basics/collections.ts';
import { spend } from './cost.ts';
import { equal } from './equal.ts';
import { type Overload, overload } from './overload.ts';
import { compareQuantities, parseQuantity, sumOf } from './quantity.ts';
import { CelError, type CelQuantity, type CelUrl, type CelValue, NotEvaluable } from './value.ts';

/** Steps of the budget for each character of a pattern and each instruction of the compiled program. */
const toCompile = 300;
const cacheLimit = 1000;
const kept = new Map<string, RE2JS | undefined>();

/**
 * Compiles an RE2 pattern to match this text: the time of a match grows with the length of both. Throws
 * {@link NotEvaluable} if the pattern cannot be compiled, or the budget is exceeded.
 */
function ready(pattern: string, text: string): RE2JS {
  spend(toCompile * pattern.length);
  if (!kept.has(pattern)) {
    if (kept.size >= cacheLimit) kept.clear();
    kept.set(pattern, compile(pattern));
  }
  const compiled = kept.get(pattern);
  if (compiled === undefined) throw new NotEvaluable();
  spend(compiled.programSize() * (toCompile + text.length));
  return compiled;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}

/** Go's Regexp.MatchString: true if any part of the text matches. */
export const celMatches = (text: string, pattern: string): boolean => ready(pattern, text).test(text);

/** Go's Regexp.FindAllString, `most` at most: an empty match directly after another match is ignored. */
export function findAll(text: string, pattern: string, most = Number.POSITIVE_INFINITY): readonly string[] {
  const found: string[] = [];
  let end = -1;
  if (most <= 0) return found;
  for (const { 0: match, index = 0 } of ready(pattern, text).matchAll(text)) {
    if (match === '' && index === end) continue;
    end = index + match.length;
    if (found.push(match) >= most) break;
  }
  return found;
}

/**
 * Parses a URL as Go's url.ParseRequestURI does, if it is simple: http or https, a name, a port, a path
 * without escapes. Returns undefined if Go certainly rejects it; throws {@link NotEvaluable} for all others.
 */
function parseCelUrl(text: string): CelUrl | undefined {
  const match = /^(https?):\/\/([A-Za-z0-9.-]+)(?::(\d{1,5}))?(\/[A-Za-z0-9/._~-]*)?$/.exec(text);
  if (match !== null) {
    const [, scheme = '', hostname = '', port = '', path = ''] = match;
    return {
      is: 'kubernetes.URL',
      scheme,
      host: port === '' ? hostname : `${hostname}:${port}`,
      hostname,
      port,
      path,
    };
  }
  // Neither a scheme nor a leading slash: "invalid URI for request".
  if (/^[A-Za-z0-9._-]*$/.test(text)) return undefined;
  throw new NotEvaluable();
}

const quantity = 'kubernetes.Quantity';
const url = 'kubernetes.URL';
type List = readonly CelValue[];

/** The error of apimachinery's resource.ParseQuantity (ErrFormatWrong). */
const wrongQuantity =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const known = <V>(value: V | undefined): V => {
  if (value === undefined) throw new NotEvaluable();
  return value;
};

function wholeValue({ numerator, denominator }: CelQuantity): bigint | undefined {
  if (numerator % denominator !== 0n) return undefined;
  return numerator / denominator;
}

const compared = (name: string, holds: (order: number) => boolean | bigint): Overload =>
  overload(name, [quantity, quantity], (a: CelQuantity, b: CelQuantity) => holds(compareQuantities(a, b)));

/** Global functions for quantities and URLs (pkg/cel/library/{quantity,urls}.go). */
export const kubernetesFunctions: readonly Overload[] = [
  overload('isQuantity', ['string'], (text: string) => parseQuantity(text) !== undefined),
  overload('quantity', ['string'], (text: string) => {
    const read = parseQuantity(text);
    // Other invalid quantities have other errors.
    if (read === undefined && /[^0-9.eEinumkKMGTP+-]/.test(text)) throw new CelError(wrongQuantity);
    return known(read);
  }),
  overload('isURL', ['string'], (text: string) => parseCelUrl(text) !== undefined),
  overload('url', ['string'], (text: string) => {
    const read = parseCelUrl(text);
    if (read !== undefined) return read;
    throw new CelError(
      `URL parse error during conversion from string: parse "${text}": ${text === '' ? 'empty url' : 'invalid URI for request'}`,
    );
  }),
];

/** Methods of quantities and URLs, and the methods of strings that accept a regular expression. */
export const kubernetesMethods: readonly Overload[] = [
  compared('compareTo', (order) => BigInt(order)),
  compared('isGreaterThan', (order) => order > 0),
  compared('isLessThan', (order) => order < 0),
  overload('sign', [quantity], ({ numerator }: CelQuantity) => BigInt(compareValues(numerator, 0n))),
  overload('isInteger', [quantity], (of: CelQuantity) => wholeValue(of) !== undefined),
  overload('asInteger', [quantity], (of: CelQuantity) => known(wholeValue(of))),
  overload('add', [quantity, quantity], (a: CelQuantity, b: CelQuantity) => sumOf(a, b, 1n)),
  overload('sub', [quantity, quantity], (a: CelQuantity, b: CelQuantity) => sumOf(a, b, -1n)),
  overload('add', [quantity, 'int'], (a: CelQuantity, b: bigint) => sumOf(a, ofInteger(b), 1n)),
  overload('sub', [quantity, 'int'], (a: CelQuantity, b: bigint) => sumOf(a, ofInteger(b), -1n)),
  overload('getScheme', [url], ({ scheme }: CelUrl) => scheme),
  overload('getHost', [url], ({ host }: CelUrl) => host),
  overload('getHostname', [url], ({ hostname }: CelUrl) => hostname),
  overload('getPort', [url], ({ port }: CelUrl) => port),
  overload('getEscapedPath', [url], ({ path }: CelUrl) => path),
  overload('matches', ['string', 'string'], celMatches),
  overload(
    'find',
    ['string', 'string'],
    (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
  ),
  overload('findAll', ['string', 'string'], (text: string, pattern: string) => findAll(text, pattern)),
  overload('findAll', ['string', 'string', 'int'], (text: string, pattern: string, most: bigint) =>
    findAll(text, pattern, most < 0n ? undefined : Number(most)),
  ),
];

const ofInteger = (value: bigint): CelQuantity => ({
  is: 'kubernetes.Quantity',
  numerator: value,
  denominator: 1n,
});

const containsAll = (of: List, wanted: List): boolean =>
  wanted.every((item) => of.some((one) => equal(one, item)));

/** Functions of a namespace: sets (cel-go ext/sets.go). */
export const setFunctions: readonly Overload[] = [
  overload('sets.contains', ['list', 'list'], containsAll),
  overload('sets.equivalent', ['list', 'list'], (a: List, b: List) => containsAll(a, b) && containsAll(b, a)),
  overload('sets.intersects', ['list', 'list'], (a: List, b: List) =>
    a.some((item) => b.some((one) => equal(item, one))),
  ),
];
