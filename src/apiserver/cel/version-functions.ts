import { compareValues } from '../../basics/collections.ts';
import { goQuote } from '../go/quote.ts';
import { type Overload, overload } from './overload.ts';
import { CelError, type CelSemver, NotEvaluable } from './value.ts';

const number = '(0|[1-9]\\d*)';
const part = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const form = new RegExp(
  `^${number}\\.${number}\\.${number}(?:-(${part}(?:\\.${part})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

/** Maximum characters: the numbers of a longer version take long to parse. */
const longestRead = 1000;
/** Go does not parse a number from here on. */
const largest = 2n ** 64n;

/** Parses semver.org 2.0.0 as github.com/blang/semver/v4 does. Throws NotEvaluable for 64-bit numbers. */
function parseSemver(text: string): CelSemver | undefined {
  if (text.length > longestRead) throw new NotEvaluable();
  const [full, major = '', minor = '', patch = '', before] = form.exec(text) ?? [];
  if (full === undefined) return undefined;
  const numbers = [major, minor, patch].map(BigInt);
  if (numbers.some((one) => one >= largest)) return undefined;
  if (numbers.some((one) => one >= 2n ** 63n)) throw new NotEvaluable();
  return { is: 'kubernetes.Semver', numbers, before: before?.split('.') ?? [] };
}

/** Removes a leading `v` and leading zeros, and adds missing numbers (library/semverlib.go). */
function normalized(text: string): string {
  const [, major = '', minor, rest] = /^v?([^.]*)(?:\.([^.]*)(?:\.(.*))?)?$/s.exec(text) ?? [];
  const short = rest === undefined;
  if (short && /[+-]/.test(minor ?? major)) return '';
  const numbers = [major, minor ?? '0', rest ?? '0'];
  return numbers
    .map((one) => (one.length < 2 ? one : one.replace(/^0+/, '').replace(/^(?!\d)/, '0')))
    .join('.');
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);

/** Numbers are lower than other identifiers, and compared by value. */
function compareParts(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return Number(BigInt(a) - BigInt(b));
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return compareValues(a, b);
}

/** Negative, zero or positive. A pre-release is lower than its release. */
export function compareSemvers(a: CelSemver, b: CelSemver): number {
  for (const [at, one] of a.numbers.entries()) {
    const other = b.numbers[at] ?? 0n;
    if (one !== other) return one < other ? -1 : 1;
  }
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  for (const [at, one] of a.before.entries()) {
    const other = b.before[at];
    if (other === undefined) return 1;
    const order = compareParts(one, other);
    if (order !== 0) return order;
  }
  return a.before.length - b.before.length;
}

/** The error for the parts after the numbers: the pre-release, then the build metadata. */
function partError(pre: string | undefined, build: string | undefined): CelError | undefined {
  for (const part of pre?.split('.') ?? []) {
    if (part === '') return new CelError('Prerelease is empty');
    if (/^0\d+$/.test(part))
      return new CelError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`);
    if (/[^0-9A-Za-z-]/.test(part))
      return new CelError(`Invalid character(s) found in prerelease ${goQuote(part)}`);
  }
  for (const part of build?.split('.') ?? []) {
    if (part === '') return new CelError('Build meta data is empty');
    if (/[^0-9A-Za-z-]/.test(part))
      return new CelError(`Invalid character(s) found in build meta data ${goQuote(part)}`);
  }
  return undefined;
}

/** The error of github.com/blang/semver/v4. */
function semverError(text: string): CelError {
  if (text === '') return new CelError('Version string empty');
  const [major = '', minor, ...rest] = text.split('.');
  if (minor === undefined || rest.length === 0) return new CelError('No Major.Minor.Patch elements found');
  const numbers = { major, minor, patch: /^[^+-]*/.exec(rest.join('.'))?.[0] ?? '' };
  for (const [part, digits] of Object.entries(numbers)) {
    const quoted = goQuote(digits);
    if (/\D/.test(digits)) return new CelError(`Invalid character(s) found in ${part} number ${quoted}`);
    if (/^0./.test(digits))
      return new CelError(
        `${part[0]?.toUpperCase()}${part.slice(1)} number must not contain leading zeroes ${quoted}`,
      );
    if (digits === '') return new CelError(`strconv.ParseUint: parsing "": invalid syntax`);
    if (BigInt(digits) >= largest)
      return new CelError(`strconv.ParseUint: parsing ${quoted}: value out of range`);
  }
  const [, pre, build] = /^[^+-]*(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join('.')) ?? [];
  const error = partError(pre, build);
  if (error === undefined) throw new NotEvaluable();
  return error;
}

function semver(text: string): CelSemver {
  const read = parseSemver(text);
  if (read === undefined) throw semverError(text);
  return read;
}

const type = 'kubernetes.Semver';
const compared = (name: string, result: (order: number) => boolean | bigint): Overload =>
  overload(name, [type, type], (a: CelSemver, b: CelSemver) => result(compareSemvers(a, b)));
const numberAt = (name: string, at: number): Overload =>
  overload(name, [type], ({ numbers }: CelSemver) => numbers[at] ?? 0n);

/** Global functions for versions (apiserver pkg/cel/library/semverlib.go). */
export const versionFunctions: readonly Overload[] = [
  overload('semver', ['string'], semver),
  overload('semver', ['string', 'bool'], (text: string, loose: boolean) =>
    semver(loose ? normalized(text) : text),
  ),
  overload('isSemver', ['string'], (text: string) => parseSemver(text) !== undefined),
  overload(
    'isSemver',
    ['string', 'bool'],
    (text: string, loose: boolean) => parseSemver(loose ? normalized(text) : text) !== undefined,
  ),
];

/** Methods of versions. */
export const versionMethods: readonly Overload[] = [
  compared('compareTo', (order) => BigInt(Math.sign(order))),
  compared('isGreaterThan', (order) => order > 0),
  compared('isLessThan', (order) => order < 0),
  numberAt('major', 0),
  numberAt('minor', 1),
  numberAt('patch', 2),
];
