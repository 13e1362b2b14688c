import { parseAllDocuments } from 'yaml';
import type { ClusterProber, DryRunRequest } from '../../collect/cluster-prober.ts';
import { ReadError } from '../../collect/cluster-reader.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import type { HttpAnswer } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import type { DryRunAnswer } from '../../soak/judge-answer.ts';
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

/** Milliseconds beyond the webhook's own time, as for doctor's dry runs. */
const timeForOthers = 5_000;

const asDryRunAnswer = ({ status, body }: HttpAnswer): DryRunAnswer => {
  try {
    return { status, body: JSON.parse(Buffer.from(body).toString('utf8')) };
  } catch {
    return { status, body: undefined };
  }
};

/** One request; what keeps it from an answer counts as a failure of it. */
export async function sendOnce(
  prober: ClusterProber,
  { request }: SoakedObject,
  callout: AdmissionCallout,
): Promise<DryRunAnswer | { readonly failure: string }> {
  const late = AbortSignal.timeout(callout.timeoutSeconds * 1000 + timeForOthers);
  try {
    return asDryRunAnswer(await prober.dryRun(request, late));
  } catch (error) {
    if (late.aborted) return { failure: 'the API server did not answer in time' };
    if (error instanceof ReadError) return { failure: error.message };
    throw error;
  }
}
