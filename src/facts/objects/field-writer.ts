import { lastWritersFirst, type ManagedFields, type Metadata } from './metadata.ts';

const owns = ({ fieldsV1 }: ManagedFields, path: readonly string[]): boolean => {
  let at: unknown = fieldsV1;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return false;
    at = (at as Readonly<Record<string, unknown>>)[`f:${name}`];
  }
  return at !== undefined;
};

/**
 * The last writer of a field, by `metadata.managedFields`: the newest entry that owns it. Undefined if there
 * is none.
 *
 * @param path names of nested fields, `['spec', 'replicas']`.
 */
export function fieldWriter(metadata: Metadata, path: readonly string[]): ManagedFields | undefined {
  return lastWritersFirst(metadata.managedFields ?? []).find((entry) => owns(entry, path));
}
