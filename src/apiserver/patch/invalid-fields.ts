import { goQuote } from '../go/quote.ts';
import { fromGoJson, toGoJson } from '../go/value.ts';
import { applyPatch, decodePatch } from './json-patch.ts';

/** `Pod "x" is invalid: [a.b[0]: Required value, c: Invalid value: "…": why]` (util/validation/field). */
const isInvalid = /^[^"]* "[^"]*" is invalid: /;
const complaint =
  /(?:^\[?|, )([A-Za-z][^\s:]*): (?:Invalid value|Required value|Forbidden|Unsupported value|Duplicate value|Too long|Too many|Too few|Not found|Internal error)/g;

/**
 * True for a Pod whose fields do not agree with its PriorityClass: a webhook set some of them after the API server had
 * set all (plugin/pkg/admission/priority).
 */
export const disagreesWithPriorityClass = (message: string): boolean =>
  /^pods "[^"]*" is forbidden: the (?:string|integer) value of (?:PreemptionPolicy|priority) /.test(message);

/** The invalid fields in an API server's message, `spec.containers[0].image`; empty for other messages. */
export function invalidFields(message: string): readonly string[] {
  if (disagreesWithPriorityClass(message))
    return ['spec.priorityClassName', 'spec.priority', 'spec.preemptionPolicy'];
  if (!isInvalid.test(message)) return [];
  return [...message.replace(isInvalid, '').matchAll(complaint)].flatMap(([, field]) => field ?? []);
}

type Path = readonly string[];

/** A key in brackets can contain dots: `metadata.annotations[a.example.com/b]`. */
const pathOf = (field: string): Path =>
  [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inBrackets, name]) => inBrackets ?? name ?? '');

const valueAt = (object: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
    object,
  );

const differs = (before: unknown, after: unknown, path: Path): boolean =>
  JSON.stringify(valueAt(before, path)) !== JSON.stringify(valueAt(after, path));

/**
 * True if a patch caused the error in this field: it set, changed or removed the field, or created its
 * parent. False if the field has the value of the original object.
 */
export function isFieldChanged(before: unknown, after: unknown, field: string): boolean {
  for (let path = pathOf(field); path.length > 0; path = path.slice(0, -1)) {
    if (differs(before, after, path)) return path.length === pathOf(field).length || isNew(before, path);
    if (valueAt(after, path) !== undefined) return false;
  }
  return false;
}

const isNew = (before: unknown, path: Path): boolean => valueAt(before, path) === undefined;

/** True if the message quotes the text in this field of the object. */
export function isValueQuoted(message: string, field: string, object: unknown): boolean {
  const value = valueAt(object, pathOf(field));
  return (
    typeof value === 'string' &&
    ['Duplicate', 'Invalid'].some((kind) => message.includes(`${field}: ${kind} value: ${goQuote(value)}`))
  );
}

/** The object after a patch is applied to it once more; undefined if it cannot be. */
export function patchedAgain(patched: unknown, patch: readonly object[]): unknown {
  try {
    const operations = decodePatch(toGoJson(patch));
    return 'fault' in operations ? undefined : fromGoJson(applyPatch(toGoJson(patched), operations));
  } catch {
    return undefined;
  }
}
