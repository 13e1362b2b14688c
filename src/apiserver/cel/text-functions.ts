import { mayGrowTo } from './cost.ts';
import { format } from './format.ts';
import { type Overload, overload } from './overload.ts';
import { CelError, type CelValue, NotEvaluable } from './value.ts';

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
export const textMethods: readonly Overload[] = [
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
