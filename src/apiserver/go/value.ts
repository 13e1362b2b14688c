import type { GoJson } from './json.ts';

/**
 * JSON as Go's encoder writes it: with `&`, `<`, `>` and the line separators escaped. A JSON Patch of the API
 * server compares the value of a `test` with the stored one byte by byte (evanphx/json-patch; observed on
 * 1.35.4 with `&&` in a matchCondition).
 */
export const goJsonText = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Converts a value from the API server to what Go's encoder writes, with `<`, `>` and `&` escaped. */
export function toGoJson(value: unknown): GoJson {
  if (typeof value === 'string') return { kind: 'string', value, raw: goJsonText(value) };
  if (typeof value === 'number') return { kind: 'number', raw: JSON.stringify(value) };
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toGoJson) };
  if (typeof value !== 'object' || value === null) return { kind: 'null' };
  return {
    kind: 'object',
    members: Object.entries(value).map(([key, one]) => [key, toGoJson(one)] as const),
  };
}

/** Converts to a JavaScript value; of duplicate members the last one counts. */
export function fromGoJson(json: GoJson): unknown {
  switch (json.kind) {
    case 'null':
      return null;
    case 'number':
      return Number(json.raw);
    case 'array':
      return json.items.map(fromGoJson);
    case 'object':
      return Object.fromEntries(json.members.map(([key, one]) => [key, fromGoJson(one)]));
    default:
      return json.value;
  }
}
