import { parseAllDocuments } from 'yaml';
import type { DryRunRequest } from '../../collect/cluster-prober.ts';
import { pathOf } from '../../collect/resource.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import { CannotStart } from '../with-cluster.ts';

/** An object to be sent, and where. */
export interface SoakedObject {
  readonly request: DryRunRequest;
  readonly object: { readonly kind: string; readonly namespace?: string; readonly name: string };
}

interface Written {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: {
    readonly name?: unknown;
    readonly generateName?: unknown;
    readonly namespace?: unknown;
  };
}

/** The request that creates an object from a file; in `namespace` where it names none. Throws CannotStart. */
export function objectFrom(
  text: string,
  served: ServedResources | undefined,
  namespace: string,
): SoakedObject {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents) || documents.length !== 1 || (documents[0]?.errors.length ?? 1) > 0)
    throw new CannotStart('-f takes a file with one object, as YAML or JSON');
  const written = documents[0]?.toJS({ maxAliasCount: 100 }) as Written | null;
  const { apiVersion, kind, metadata } = written ?? {};
  const name = metadata?.name ?? metadata?.generateName;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string')
    throw new CannotStart('the object of -f needs apiVersion, kind and metadata.name');
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const resource = served?.resources.find(
    (one) =>
      one.kind === kind && one.group === group && one.version === version && !one.resource.includes('/'),
  );
  if (resource === undefined) throw new CannotStart(`this cluster serves no ${kind} of ${apiVersion}`);
  const place = typeof metadata?.namespace === 'string' ? metadata.namespace : namespace;
  const where = resource.namespaced ? { namespace: place } : {};
  const object = resource.namespaced
    ? { ...written, metadata: { ...metadata, namespace: place } }
    : (written as object);
  const path = pathOf({ group, version, plural: resource.resource }, where.namespace);
  return { request: { verb: 'create', path, object }, object: { kind, name, ...where } };
}
