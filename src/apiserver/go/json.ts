import { limits } from '../../basics/limits.ts';

/** A JSON value as Go's encoding/json parses it: members in their order, numbers as written. */
export type GoJson =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly raw: string }
  /** `raw`: with quotes and escapes, as written. */
  | { readonly kind: 'string'; readonly value: string; readonly raw: string }
  | { readonly kind: 'array'; readonly items: readonly GoJson[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, GoJson])[] };

/** Go's encoding/json error for a text that is not JSON (scanner.go). */
export class GoSyntaxError extends Error {
  override readonly name = 'GoSyntaxError';
}

/** Nested deeper than `limits.reviewDepth`; Go's own limit is 10 000. */
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
 * Parses a JSON text; its errors are Go's. Throws `GoSyntaxError`, or `TooDeepError`.
 *
 * @param latin1 the bytes, one character each.
 */
export function parseGoJson(latin1: string): GoJson {
  const reader = new GoJsonReader(latin1);
  const parsed = reader.value(0);
  reader.end();
  return parsed;
}

/** Reads one value after the other from `at` on, in the order of Go's scanner. */
class GoJsonReader {
  private readonly latin1: string;
  private at = 0;

  constructor(latin1: string) {
    this.latin1 = latin1;
  }

  private peek(): string | undefined {
    return this.latin1[this.at];
  }

  value(depth: number): GoJson {
    if (depth > limits.reviewDepth) throw new TooDeepError();
    this.space();
    const byte = this.peek();
    switch (byte) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return { kind: 'string', ...this.text() };
      case 't':
        this.literal('true');
        return { kind: 'bool', value: true };
      case 'f':
        this.literal('false');
        return { kind: 'bool', value: false };
      case 'n':
        this.literal('null');
        return { kind: 'null' };
      default:
        if (byte !== '-' && !isDigit(byte)) fail(byte, 'looking for beginning of value');
        return { kind: 'number', raw: this.number() };
    }
  }

  /** Fails if anything but white space follows. */
  end(): void {
    this.space();
    if (this.at < this.latin1.length) fail(this.peek(), 'after top-level value');
  }

  private space(): void {
    while (/[ \t\r\n]/.test(this.peek() ?? '')) this.at++;
  }

  private object(depth: number): GoJson {
    const members: [string, GoJson][] = [];
    if (this.opens('}')) return { kind: 'object', members };
    for (;;) {
      this.space();
      if (this.peek() !== '"') fail(this.peek(), 'looking for beginning of object key string');
      const key = this.text().value;
      this.space();
      if (this.peek() !== ':') fail(this.peek(), 'after object key');
      this.at++;
      members.push([key, this.value(depth + 1)]);
      if (this.closes('}', 'after object key:value pair')) return { kind: 'object', members };
    }
  }

  private array(depth: number): GoJson {
    const items: GoJson[] = [];
    if (this.opens(']')) return { kind: 'array', items };
    for (;;) {
      items.push(this.value(depth + 1));
      if (this.closes(']', 'after array element')) return { kind: 'array', items };
    }
  }

  /** Passes an opening bracket; true if the closing one follows at once. */
  private opens(closing: string): boolean {
    this.at++;
    this.space();
    if (this.peek() !== closing) return false;
    this.at++;
    return true;
  }

  /** Passes a comma (false) or the closing bracket (true); fails for anything else. */
  private closes(closing: string, context: string): boolean {
    this.space();
    const next = this.latin1[this.at++];
    if (next !== closing && next !== ',') fail(next, context);
    return next === closing;
  }

  private text(): { value: string; raw: string } {
    const start = this.at++;
    for (let byte = this.peek(); byte !== '"'; byte = this.peek()) {
      if (byte === undefined) fail(byte, '');
      else if (byte < ' ') fail(byte, 'in string literal');
      this.at++;
      if (byte === '\\') this.escape();
    }
    this.at++;
    const raw = Buffer.from(this.latin1.slice(start, this.at), 'latin1').toString('utf8');
    return { value: unescaped(raw.slice(1, -1)), raw };
  }

  /** Passes an escape sequence after its backslash. */
  private escape(): void {
    const byte = this.peek();
    if (byte === undefined || !'bfnrt\\/"u'.includes(byte)) fail(byte, 'in string escape code');
    this.at++;
    if (byte !== 'u') return;
    for (let digits = 0; digits < 4; digits++, this.at++)
      if (!/[0-9a-fA-F]/.test(this.peek() ?? '')) fail(this.peek(), 'in \\u hexadecimal character escape');
  }

  private number(): string {
    const start = this.at;
    if (this.peek() === '-') {
      this.at++;
      if (!isDigit(this.peek())) fail(this.peek(), 'in numeric literal');
    }
    if (this.peek() === '0') this.at++;
    else this.digits();
    if (this.peek() === '.') {
      this.at++;
      this.digits('after decimal point in numeric literal');
    }
    if (this.peek() === 'e' || this.peek() === 'E') {
      this.at++;
      if (this.peek() === '+' || this.peek() === '-') this.at++;
      this.digits('in exponent of numeric literal');
    }
    return this.latin1.slice(start, this.at);
  }

  /** @param context if at least one digit must follow: the rest of the error. */
  private digits(context?: string): void {
    if (context !== undefined && !isDigit(this.peek())) fail(this.peek(), context);
    while (isDigit(this.peek())) this.at++;
  }

  private literal(word: 'true' | 'false' | 'null'): void {
    for (const expected of word) {
      if (this.peek() !== expected) fail(this.peek(), `in literal ${word} (expecting '${expected}')`);
      this.at++;
    }
  }
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
