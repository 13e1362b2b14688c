import { createHash } from 'node:crypto';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { ApiObject } from './api-object.ts';

/** A UID that is the same in every run: derived from what the object is. */
export function uidOf(kind: string, namespace: string | undefined, name: string): string {
  const hex = createHash('sha256')
    .update(`${kind}/${namespace ?? ''}/${name}`)
    .digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** The place of an object in its list: etcd's, which orders by bytes. */
export const storageKey = ({ metadata }: ApiObject): string =>
  metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;

/** What the cluster holds, with the bookkeeping that every stored object has. Read-only but for its age. */
export interface ObjectStore {
  /** All objects of a kind in list order. */
  of(group: string, kind: string): readonly ApiObject[];
  readonly revision: () => number;
  /** Revisions below this one are forgotten: a continue token of one is expired. */
  readonly oldest: () => number;
  /** Lets everything before now be forgotten, as etcd's compaction does. */
  compact(): void;
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
const byKey = (a: ApiObject, b: ApiObject): number =>
  Buffer.compare(Buffer.from(storageKey(a)), Buffer.from(storageKey(b)));

/** Fills the store. Two objects of one kind, namespace and name are a mistake of whoever made them. */
export function objectStore(objects: readonly ApiObject[]): ObjectStore {
  const first = 1000;
  const byKind = new Map<string, ApiObject[]>();
  for (const [index, object] of objects.entries()) {
    const { kind, metadata } = object;
    const key = `${groupOf(object.apiVersion)}/${kind}`;
    const list = byKind.get(key) ?? [];
    if (list.some((other) => storageKey(other) === storageKey(object)))
      throw new Error(`two objects ${kind} ${storageKey(object)}`);
    list.push({
      ...object,
      metadata: {
        ...metadata,
        uid: metadata.uid ?? uidOf(kind, metadata.namespace, metadata.name),
        resourceVersion: String(first + index),
      },
    });
    byKind.set(key, list);
  }
  for (const list of byKind.values()) list.sort(byKey);
  let revision = first + objects.length;
  let oldest = first;
  return {
    of: (group, kind) => byKind.get(`${group}/${kind}`) ?? [],
    revision: () => revision,
    oldest: () => oldest,
    compact() {
      revision += 1;
      oldest = revision;
    },
  };
}

const isNamed =
  (namespace: string | undefined, name: string | undefined) =>
  ({ metadata }: { readonly metadata: ApiObject['metadata'] }): boolean =>
    metadata.namespace === namespace && metadata.name === name;

export const podNamed = (store: ObjectStore, namespace: string, name: string | undefined): Pod | undefined =>
  (store.of('', 'Pod') as unknown as readonly Pod[]).find(isNamed(namespace, name));

export const serviceNamed = (store: ObjectStore, namespace: string, name: string): Service | undefined =>
  (store.of('', 'Service') as unknown as readonly Service[]).find(isNamed(namespace, name));

export const slicesOf = (store: ObjectStore, { metadata }: Service): readonly EndpointSlice[] =>
  (store.of('discovery.k8s.io', 'EndpointSlice') as unknown as readonly EndpointSlice[]).filter(
    (slice) =>
      slice.metadata.namespace === metadata.namespace &&
      slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name,
  );
