import type { ObjectRef } from '../facts/object-ref.ts';
import type { Metadata } from '../facts/objects/metadata.ts';

/** Any object as the API sends it: JSON, nothing dropped. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [member: string]: unknown;
}

/** One key per object, whatever webhook of it is meant. */
export const objectKey = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

const bookkeeping: readonly string[] = [
  'resourceVersion',
  'generation',
  'managedFields',
  'uid',
  'creationTimestamp',
];

/** The object without what the API server keeps for itself: what can be created anew. */
export function withoutBookkeeping({ status, ...object }: KubeObject): KubeObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([name]) => !bookkeeping.includes(name)),
  );
  return { ...object, metadata: metadata as unknown as Metadata } as KubeObject;
}
