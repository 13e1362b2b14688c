import { limits } from '../../facts/limits.ts';

/** A JSON value as Go's encoding/json meets it: members in their order, numbers as written. */
export type GoJson =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly raw: string }
  /** `raw`: with quotes and escapes, as written. */
  | { readonly kind: 'string'; readonly value: string; readonly raw: string }
  | { readonly kind: 'array'; readonly items: readonly GoJson[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, GoJson])[] };

/** The words of Go's encoding/json about a text that is no JSON (scanner.go). */
export class GoSyntaxError extends Error {
  override readonly name = 'GoSyntaxError';
}

/** Nested deeper than is followed here; Go itself stops at 10 000. */
export class TooDeepError extends Error {
  override readonly name = 'TooDeepError';
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A byte between single quotes, as scanner.go writes it. */
function quoted(byte: string): string {
  if (byte === "'") return `'\\''`;
  if (byte === '\\') return `'\\\\'`;
  const code = byte.charCodeAt(0);
  const named = { 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r' }[code];
  if (named !== undefined) return `'\\${named}'`;
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  // U+0080–U+00A0 and the soft hyphen are not printable.
  if ((code > 0x7f && code <= 0xa0) || code === 0xad) return `'\\u${code.toString(16).padStart(4, '0')}'`;
  return `'${byte}'`;
}

const fail = (byte: string | undefined, context: string): never => {
  throw new GoSyntaxError(
    byte === undefined ? 'unexpected end of JSON input' : `invalid character ${quoted(byte)} ${context}`,
  );
};

const isDigit = (byte: string | undefined): boolean => byte !== undefined && byte >= '0' && byte <= '9';

/**
 * Reads a JSON text with Go's own complaints; throws `GoSyntaxError`, or `TooDeepError`.
 *
 * @param latin1 the bytes, one character each.
 */
export function parseGoJson(latin1: string): GoJson {
  let at = 0;
  const space = () => {
    while (/[ \t\r\n]/.test(latin1[at] ?? '')) at++;
  };
  const hex = (): void => {
    for (let digits = 0; digits < 4; digits++, at++) {
      if (!/[0-9a-fA-F]/.test(latin1[at] ?? '')) fail(latin1[at], 'in \\u hexadecimal character escape');
    }
  };
  const text = (): { value: string; raw: string } => {
    const start = at++;
    for (let byte = latin1[at]; byte !== '"'; byte = latin1[at]) {
      if (byte === undefined) fail(byte, '');
      else if (byte < ' ') fail(byte, 'in string literal');
      at++;
      if (byte !== '\\') continue;
      const after = latin1[at];
      if (after === undefined || !'bfnrt\\/"u'.includes(after)) fail(after, 'in string escape code');
      at++;
      if (after === 'u') hex();
    }
    at++;
    const raw = Buffer.from(latin1.slice(start, at), 'latin1').toString('utf8');
    return { value: unescaped(raw.slice(1, -1)), raw };
  };
  const number = (): string => {
    const start = at;
    if (latin1[at] === '-') {
      at++;
      if (!isDigit(latin1[at])) fail(latin1[at], 'in numeric literal');
    }
    if (latin1[at] === '0') at++;
    else while (isDigit(latin1[at])) at++;
    if (latin1[at] === '.') {
      at++;
      if (!isDigit(latin1[at])) fail(latin1[at], 'after decimal point in numeric literal');
      while (isDigit(latin1[at])) at++;
    }
    if (latin1[at] === 'e' || latin1[at] === 'E') {
      at++;
      if (latin1[at] === '+' || latin1[at] === '-') at++;
      if (!isDigit(latin1[at])) fail(latin1[at], 'in exponent of numeric literal');
      while (isDigit(latin1[at])) at++;
    }
    return latin1.slice(start, at);
  };
  const literal = (word: 'true' | 'false' | 'null'): void => {
    for (const expected of word) {
      if (latin1[at] !== expected) fail(latin1[at], `in literal ${word} (expecting '${expected}')`);
      at++;
    }
  };
  const list = (depth: number): GoJson => {
    const items: GoJson[] = [];
    at++;
    space();
    if (latin1[at] === ']') {
      at++;
      return { kind: 'array', items };
    }
    for (;;) {
      items.push(value(depth + 1));
      space();
      const next = latin1[at++];
      if (next === ']') return { kind: 'array', items };
      if (next !== ',') fail(next, 'after array element');
    }
  };
  const object = (depth: number): GoJson => {
    const members: [string, GoJson][] = [];
    at++;
    space();
    if (latin1[at] === '}') {
      at++;
      return { kind: 'object', members };
    }
    for (;;) {
      space();
      if (latin1[at] !== '"') fail(latin1[at], 'looking for beginning of object key string');
      const key = text().value;
      space();
      if (latin1[at] !== ':') fail(latin1[at], 'after object key');
      at++;
      members.push([key, value(depth + 1)]);
      space();
      const next = latin1[at++];
      if (next === '}') return { kind: 'object', members };
      if (next !== ',') fail(next, 'after object key:value pair');
    }
  };
  const value = (depth: number): GoJson => {
    if (depth > limits.reviewDepth) throw new TooDeepError();
    space();
    const byte = latin1[at];
    switch (byte) {
      case '{':
        return object(depth);
      case '[':
        return list(depth);
      case '"':
        return { kind: 'string', ...text() };
      case 't':
        literal('true');
        return { kind: 'bool', value: true };
      case 'f':
        literal('false');
        return { kind: 'bool', value: false };
      case 'n':
        literal('null');
        return { kind: 'null' };
      default:
        if (byte !== '-' && !isDigit(byte)) fail(byte, 'looking for beginning of value');
        return { kind: 'number', raw: number() };
    }
  };
  const parsed = value(0);
  space();
  if (at < latin1.length) fail(latin1[at], 'after top-level value');
  return parsed;
}

/** Half of a surrogate pair without the other becomes U+FFFD (decode.go unquoteBytes). */
function unescaped(text: string): string {
  const pairs = text.replace(
    /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
    (_, code: string | undefined, one: string | undefined) =>
      code === undefined ? (escapes[one ?? ''] ?? one ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(pairs).toString();
}
