import type { GoJson } from './go-json.ts';

/** Converts a value from the API server to what Go's encoder writes, with `<`, `>` and `&` escaped. */
export function toGoJson(value: unknown): GoJson {
  if (typeof value === 'string') {
    const raw = JSON.stringify(value).replace(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return { kind: 'string', value, raw };
  }
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
