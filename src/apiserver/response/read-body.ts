import { isUtf8 } from 'node:buffer';
import { parseDocument } from 'yaml';
import { type GoJson, GoSyntaxError, parseGoJson, TooDeepError } from '../go/json.ts';
import { toGoJson } from '../go/value.ts';

/** The result of decoding a body in the API server. */
export type Body =
  | { readonly kind: 'value'; readonly value: GoJson }
  /** Invalid JSON: the error after `couldn't get version/kind; json parse error: `. */
  | { readonly kind: 'syntax'; readonly text: string }
  /** Invalid YAML, or YAML without a response. `text`: the error, if known. */
  | { readonly kind: 'no-yaml'; readonly text?: string }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'unknown' };

/** Characters that YAML 1.1 forbids: C0 except white space, DEL, C1 except NEL (go-yaml readerc.go). */
const control = /(?![\t\n\r\u0085])\p{Cc}|[\ufffe\uffff]/u;
/** go-yaml reads blocks of this size, and checks all characters of a block before it parses them. */
const piece = 512;

/** Maximum bytes of YAML, and of characters that can start a nested level: deep nesting is slow. */
const largestYaml = 8192;
const mostLevels = 200;
const opensLevel = /[[{]|[-?:][ \t]/g;

/**
 * A body that starts with a brace after white space is parsed as JSON, every other one as YAML
 * (recognizer.go, util/yaml).
 */
const looksLikeJson = /^[\t\n\v\f\r \u0085\u00a0]*\{/;

/**
 * Parses YAML without floats and YAML-specific numbers, which Go parses differently; strings, maps, lists,
 * booleans and null are equal.
 */
function readYaml(text: string): Body {
  try {
    const document = parseDocument(text, { version: '1.1', logLevel: 'silent', uniqueKeys: false });
    if (document.errors.length > 0) return { kind: 'no-yaml' };
    const value: unknown = document.toJS({ maxAliasCount: 20 });
    return { kind: 'value', value: toGoJson(value instanceof Date ? value.toISOString() : value) };
  } catch {
    return { kind: 'unknown' };
  }
}

/** True if bytes can be a protobuf message, by the lengths of its fields. */
function isProtobuf(bytes: Uint8Array): boolean {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63) return Number.NaN;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const wire = varint() % 8;
    if (wire === 3 || wire === 4) return true;
    const length = { 0: 0, 1: 8, 5: 4 }[wire];
    const value = length === 8 || length === 4 ? length : varint();
    if (Number.isNaN(value) || (length === undefined && wire !== 2)) return false;
    if (wire !== 0) at += value;
  }
  return at === bytes.length;
}

/**
 * Decodes a body as the API server does: JSON, else YAML (apimachinery/pkg/runtime/serializer/recognizer).
 * The error for an invalid body is known for JSON only.
 */
export function readBody(bytes: Uint8Array): Body {
  const buffer = Buffer.from(bytes);
  const latin1 = buffer.toString('latin1');
  if (latin1.startsWith('k8s\0'))
    return isProtobuf(buffer.subarray(4)) ? { kind: 'unknown' } : { kind: 'no-yaml' };
  try {
    if (looksLikeJson.test(latin1)) return { kind: 'value', value: parseGoJson(latin1) };
  } catch (error) {
    if (error instanceof GoSyntaxError) return { kind: 'syntax', text: error.message };
    if (error instanceof TooDeepError) return { kind: 'too-deep' };
    throw error;
  }
  const text = buffer.toString('utf8');
  const forbidden = text.search(control);
  const broken = isUtf8(buffer) ? -1 : text.indexOf('\ufffd');
  if (forbidden !== -1 && (broken === -1 || forbidden < broken)) {
    const early = Buffer.byteLength(text.slice(0, forbidden)) < piece;
    return early
      ? { kind: 'no-yaml', text: 'yaml: control characters are not allowed' }
      : { kind: 'no-yaml' };
  }
  if (broken !== -1) return { kind: 'no-yaml' };
  const levels = () => text.match(opensLevel)?.length ?? 0;
  if (bytes.length <= largestYaml && levels() <= mostLevels) return readYaml(text);
  return /response|\\/.test(text) ? { kind: 'unknown' } : { kind: 'no-yaml' };
}
