import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../basics/collections.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { Condition, Metadata } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import { groupOf } from '../../facts/resource.ts';

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

/** A UID that is the same in every run: a hash of kind, namespace and name. */
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

/** A change of an object. For a deletion: its last state, with the revision of the deletion. */
export interface StoreChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ApiObject;
  readonly before?: ApiObject;
}

/** The objects, with the metadata that the API server maintains: uid, resourceVersion, generation. */
export interface ObjectStore {
  /** All objects of a kind in list order. */
  of(group: string, kind: string): readonly ApiObject[];
  all(): readonly ApiObject[];
  /** The object with this {@link objectIdentity}. */
  get(identity: string): ApiObject | undefined;
  /** Replaces all objects. A changed object gets a new revision; one that is absent is deleted. */
  replace(objects: readonly ApiObject[]): void;
  /** Calls `each` for changes since a revision, and every later one. Returns the function to end this. */
  follow(revision: number, each: (change: StoreChange) => void): () => void;
  readonly revision: () => number;
  /** Older revisions are compacted: their continue tokens are expired. */
  readonly oldest: () => number;
  /** Forgets the history up to now, like etcd's compaction. */
  compact(): void;
}

const byKey = (a: ApiObject, b: ApiObject): number =>
  Buffer.compare(Buffer.from(keyOf(a.metadata)), Buffer.from(keyOf(b.metadata)));

/** The identity of an object in the cluster: group, kind, namespace and name. */
export const objectIdentity = (object: ApiObject): string =>
  `${groupOf(object.apiVersion)}/${object.kind}/${keyOf(object.metadata)}`;

/** Kinds whose generation increases with changes of the spec (their strategies in pkg/registry). */
const countedNames =
  /^(Deployment|StatefulSet|DaemonSet|ReplicaSet|CustomResourceDefinition|PodDisruptionBudget|(Validating|Mutating)WebhookConfiguration)$/;

/**
 * The part of an object that counts for its generation: all but metadata and status; for a Deployment also
 * annotations.
 */
const wanted = ({ metadata, status: _status, ...rest }: ApiObject): object =>
  rest.kind === 'Deployment' ? { ...rest, annotations: metadata.annotations ?? {} } : rest;

/** The object without the metadata that the store maintains. */
const content = ({ metadata, ...rest }: ApiObject): object => {
  const { resourceVersion: _version, generation: _generation, ...more } = metadata;
  return { ...rest, metadata: more };
};

/** The generation of the object after this write. An initial object may have been changed before. */
export const generationOf = (object: ApiObject, before: ApiObject | undefined): number =>
  before === undefined
    ? (object.metadata.generation ?? 1)
    : (before.metadata.generation ?? 0) + (isDeepStrictEqual(wanted(object), wanted(before)) ? 0 : 1);

/** Number of changes kept for watches from an earlier revision. */
const remembered = 5000;

interface State {
  revision: number;
  /** The oldest revision from which a watch can start. */
  oldest: number;
  objects: Map<string, ApiObject>;
  /** By `group/kind`, sorted. */
  lists: Map<string, ApiObject[]>;
  changes: StoreChange[];
  readonly followers: Set<(change: StoreChange) => void>;
}

/** Creates a store with these objects. Throws if two of them have the same kind, namespace and name. */
export function objectStore(objects: readonly ApiObject[]): ObjectStore {
  const first = 1000;
  const state: State = {
    revision: first - 1,
    oldest: first,
    objects: new Map(),
    lists: new Map(),
    changes: [],
    followers: new Set(),
  };
  replace(state, objects);
  state.changes = [];
  state.oldest = first;
  return {
    of: (group, kind) => state.lists.get(`${group}/${kind}`) ?? [],
    all: () => [...state.objects.values()],
    get: (identity) => state.objects.get(identity),
    replace: (next) => replace(state, next),
    follow(from, each) {
      for (const change of state.changes)
        if (Number(change.object.metadata.resourceVersion) > from) each(change);
      state.followers.add(each);
      return () => state.followers.delete(each);
    },
    revision: () => state.revision,
    oldest: () => state.oldest,
    compact() {
      state.revision += 1;
      state.oldest = state.revision;
    },
  };
}

/** Replaces all objects, and reports the differences to watches. */
function replace(state: State, next: readonly ApiObject[]): void {
  const now = new Map<string, ApiObject>();
  const made: StoreChange[] = [];
  for (const object of next) {
    const key = objectIdentity(object);
    if (now.has(key)) throw new Error(`two objects ${object.kind} ${keyOf(object.metadata)}`);
    const before = state.objects.get(key);
    const same = before !== undefined && isDeepStrictEqual(content(before), content(object));
    const stored = same ? before : numbered(state, object, before);
    now.set(key, stored);
    if (same) continue;
    made.push(
      before === undefined ? { type: 'ADDED', object: stored } : { type: 'MODIFIED', object: stored, before },
    );
  }
  for (const [key, object] of state.objects)
    if (!now.has(key))
      made.push({ type: 'DELETED', object: numbered(state, object, object), before: object });
  if (made.length === 0) return;
  state.objects = now;
  state.lists = listsOf(now.values());
  state.changes = [...state.changes, ...made].slice(-remembered);
  state.oldest = Math.max(state.oldest, Number(state.changes[0]?.object.metadata.resourceVersion ?? 0) - 1);
  for (const change of made) for (const each of state.followers) each(change);
}

function numbered(state: State, object: ApiObject, before?: ApiObject): ApiObject {
  state.revision += 1;
  const { metadata, kind } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      uid: metadata.uid ?? uidOf(kind, metadata.namespace, metadata.name),
      resourceVersion: String(state.revision),
      ...(countedNames.test(kind) ? { generation: generationOf(object, before) } : {}),
    },
  };
}

function listsOf(objects: Iterable<ApiObject>): Map<string, ApiObject[]> {
  const lists = groupBy([...objects], ({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}`);
  return new Map([...lists].map(([kind, list]) => [kind, [...list].sort(byKey)]));
}

/** The objects of a kind, from a store or any other source. */
export type ObjectsOf = Pick<ObjectStore, 'of'>;

/** True for the object of its kind with this name. `namespace`: undefined for a cluster-scoped object. */
export const isNamed =
  (namespace: string | undefined, name: string | undefined) =>
  ({ metadata }: { readonly metadata: ApiObject['metadata'] }): boolean =>
    metadata.namespace === namespace && metadata.name === name;

/** A Pod; undefined if it does not exist. */
export const podNamed = (store: ObjectsOf, namespace: string, name: string | undefined): Pod | undefined =>
  (store.of('', 'Pod') as unknown as readonly Pod[]).find(isNamed(namespace, name));

/** A Service; undefined if it does not exist. */
export const serviceNamed = (store: ObjectsOf, namespace: string, name: string): Service | undefined =>
  (store.of('', 'Service') as unknown as readonly Service[]).find(isNamed(namespace, name));

/** The EndpointSlices of a Service, by their label. */
export const slicesOf = (store: ObjectsOf, { metadata }: Service): readonly EndpointSlice[] =>
  (store.of('discovery.k8s.io', 'EndpointSlice') as unknown as readonly EndpointSlice[]).filter(
    (slice) =>
      slice.metadata.namespace === metadata.namespace &&
      slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name,
  );
