import type { ObjectRef } from '../facts/object-ref.ts';
import type { ManagedFields, Metadata } from '../facts/objects/metadata.ts';
import { parsePointer } from './pointer.ts';

const youngest = (entries: readonly ManagedFields[]): ManagedFields | undefined =>
  [...entries].sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0];

/** Who wrote the object last, by its managedFields: a manager's name. */
export const latestWriter = ({ managedFields = [] }: Metadata): string | undefined =>
  youngest(managedFields.filter(({ subresource }) => subresource !== 'status'))?.manager;

/** Where FieldsV1 keeps a field: members as `f:NAME`, webhooks by their name; other lists are owned as a whole. */
function fieldPath(object: ObjectRef, pointer: string): readonly string[] {
  const parts = parsePointer(pointer);
  const path: string[] = [];
  for (const [at, part] of parts.entries()) {
    if (/^\d+$/.test(part)) {
      if (at !== 1 || parts[0] !== 'webhooks' || object.webhook === undefined) break;
      path.push(`k:${JSON.stringify({ name: object.webhook })}`);
    } else path.push(`f:${part}`);
  }
  return path;
}

const holds = (fields: unknown, [first, ...rest]: readonly string[]): boolean => {
  if (first === undefined) return true;
  if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, first)) return false;
  return holds((fields as Readonly<Record<string, unknown>>)[first], rest);
};

/**
 * Who wrote the field last: a manager's name. Undefined where nobody is noted, or nobody since `since` (RFC 3339, the
 * API server notes seconds).
 */
export function fieldWriterAt(
  metadata: Metadata,
  object: ObjectRef,
  pointer: string,
  since?: string,
): string | undefined {
  const path = fieldPath(object, pointer);
  const writer = youngest((metadata.managedFields ?? []).filter(({ fieldsV1 }) => holds(fieldsV1, path)));
  if (since === undefined) return writer?.manager;
  const [written, from] = [Date.parse(writer?.time ?? ''), Date.parse(since)];
  return written >= Math.floor(from / 1000) * 1000 ? writer?.manager : undefined;
}
