import type { Metadata } from '../facts/objects/metadata.ts';
import { isClusterScoped, pathOf, type Resource, type ResourceKind, resources } from '../facts/resource.ts';
import type { ClusterReader } from './cluster.ts';
import { malformedField } from './shape.ts';

interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<Metadata>;
}

/** The resource of an object, if collectors read it in this version. */
function resourceIn({ apiVersion, kind }: NewObject): Resource | undefined {
  const resource: Resource | undefined = Object.hasOwn(resources, kind)
    ? resources[kind as ResourceKind]
    : undefined;
  const expected = resource && [resource.group, resource.version].filter(Boolean).join('/');
  return expected === apiVersion ? resource : undefined;
}

/** The name of an object; `generateName` gets a suffix, as by the API server. */
function named(object: NewObject): NewObject {
  const { name, generateName } = object.metadata as Partial<Metadata> & { readonly generateName?: string };
  return name === undefined && typeof generateName === 'string'
    ? { ...object, metadata: { ...object.metadata, name: generateName } }
    : object;
}

/** Path of the first field of an object with a wrong type; undefined if none. */
export const misshapenField = (object: NewObject): string | undefined => {
  const resource = resourceIn(object);
  return resource && malformedField({ status: {}, ...named(object) }, resource.plural)?.replace(/^\./, '');
};

/** Adds defaults of the API server that readers need (core/v1/defaults.go, registry/core/namespace). */
function stored(object: NewObject, namespace: string): NewObject {
  const { name = '' } = object.metadata;
  const isCluster = isClusterScoped(object.kind);
  const metadata = {
    ...object.metadata,
    ...(isCluster ? {} : { namespace: object.metadata.namespace ?? namespace }),
    ...(object.kind === 'Namespace'
      ? { labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': name } }
      : {}),
  };
  const withStatus = { status: {}, ...object, metadata };
  if (object.kind !== 'Service') return withStatus;
  const { ports = [], ...spec } = (object as { spec?: { ports?: readonly { port?: number }[] } }).spec ?? {};
  const full = ports.map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port }));
  return { ...withStatus, spec: { type: 'ClusterIP', ...spec, ports: full } } as NewObject;
}

/**
 * A reader for a cluster with these objects only. Only existing objects are reliable: an object that is not
 * in the manifests may exist.
 *
 * @param objects well-formed ones: see {@link misshapenField}.
 * @param namespace the namespace of objects without one.
 */
export function manifestReader(objects: readonly NewObject[], namespace: string): ClusterReader {
  const byPath = new Map<string, NewObject[]>();
  const add = (path: string, object: NewObject): void => {
    const there = byPath.get(path);
    if (there === undefined) byPath.set(path, [object]);
    else there.push(object);
  };
  // A namespace that only other objects name exists, with unknown labels.
  const homes = new Set(objects.flatMap((one) => stored(one, namespace).metadata.namespace ?? []));
  const implied = [...homes].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  for (const given of [...implied, ...objects]) {
    const resource = resourceIn(given);
    if (resource === undefined) continue;
    const object = stored(named(given), namespace);
    const { name = '', namespace: home } = object.metadata;
    add(pathOf(resource), object);
    if (home !== undefined) add(pathOf(resource, home), object);
    add(pathOf(resource, home, name), object);
  }
  return {
    server: 'manifests',
    context: undefined,
    namespace,
    get: async <T>(path: string) => byPath.get(path)?.at(-1) as T | undefined,
    list: async <T>(path: string) => ({
      items: (byPath.get(path) ?? []) as readonly unknown[] as readonly T[],
      resourceVersion: '',
    }),
    text: async () => '',
    lines: async () => undefined,
    close: () => undefined,
  };
}
