import type { Condition, Metadata } from '../../facts/objects.ts';

/** An object as the API sends it, whatever its kind. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata & { readonly generation?: number };
  readonly [field: string]: unknown;
}

/** The value at a path of field names; undefined if a field is missing. */
export function fieldOf(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Whether this condition of the object's status is True. */
export const isTrue = (object: unknown, type: string): boolean =>
  ((fieldOf(object, 'status.conditions') ?? []) as readonly Condition[]).some(
    (condition) => condition.type === type && condition.status === 'True',
  );
