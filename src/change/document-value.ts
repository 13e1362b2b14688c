import { parsePointer, pointerTo } from '../basics/json-pointer.ts';

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns the value at a pointer; `undefined` if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let at = document;
  for (const part of parsePointer(pointer)) {
    if (!isContainer(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

/**
 * Converts an edit so that its parent exists in the document. If parents are missing, the topmost missing one
 * is added with its complete content: undo then leaves no empty parents.
 */
export function placed(
  document: unknown,
  pointer: string,
  value: unknown,
): { readonly path: string; readonly value: unknown } {
  const parts = parsePointer(pointer);
  for (let length = 1; length < parts.length; length += 1) {
    const path = pointerTo(parts.slice(0, length));
    if (valueAt(document, path) !== undefined) continue;
    if (value === undefined) return { path, value: undefined };
    const nested = parts.slice(length).reduceRight((inner: unknown, part) => ({ [part]: inner }), value);
    return { path, value: nested };
  }
  return { path: pointer, value };
}

/** Returns a copy of the document with one value set, or removed for `undefined`. The parent must exist. */
export function withValue<T>(document: T, pointer: string, value: unknown): T {
  const copy = structuredClone(document);
  const parts = parsePointer(pointer);
  const parent = valueAt(copy, pointerTo(parts.slice(0, -1)));
  const last = parts.at(-1);
  if (!isContainer(parent) || last === undefined) throw new RangeError(`no place for ${pointer}`);
  if (Array.isArray(parent) && value === undefined) parent.splice(Number(last), 1);
  else if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
