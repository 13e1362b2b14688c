import type { ObjectRef } from '../facts/object-ref.ts';
import type { Metadata } from '../facts/objects/metadata.ts';

/** Any object as the API server sends it: complete JSON. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [member: string]: unknown;
}

/** Returns one key per object, also for steps on its single webhooks. */
export const objectKey = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

const bookkeeping: readonly string[] = [
  'resourceVersion',
  'generation',
  'managedFields',
  'uid',
  'creationTimestamp',
];

/** Returns the object without the fields that the API server sets, so that it can be created again. */
export function withoutServerFields({ status, ...object }: KubeObject): KubeObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([name]) => !bookkeeping.includes(name)),
  );
  return { ...object, metadata: metadata as unknown as Metadata } as KubeObject;
}
