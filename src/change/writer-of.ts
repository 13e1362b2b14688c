import { parsePointer } from '../basics/json-pointer.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import { lastWritersFirst, type Metadata } from '../facts/objects/metadata.ts';

/** The field manager that wrote the object last, by its managedFields. */
export const latestWriter = ({ managedFields = [] }: Metadata): string | undefined =>
  lastWritersFirst(managedFields).find(({ subresource }) => subresource !== 'status')?.manager;

/** The path of a field in FieldsV1: members as `f:NAME`, webhooks by their name; other lists are atomic. */
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
 * The field manager that wrote the field last. Undefined if no manager is recorded, or none since `since`
 * (RFC 3339, with a precision of seconds).
 */
export function fieldWriterAt(
  metadata: Metadata,
  object: ObjectRef,
  pointer: string,
  since?: string,
): string | undefined {
  const path = fieldPath(object, pointer);
  const writer = lastWritersFirst(metadata.managedFields ?? []).find(({ fieldsV1 }) => holds(fieldsV1, path));
  if (since === undefined) return writer?.manager;
  const [written, from] = [Date.parse(writer?.time ?? ''), Date.parse(since)];
  return written >= Math.floor(from / 1000) * 1000 ? writer?.manager : undefined;
}
