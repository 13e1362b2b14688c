import { parsedJson } from '../../basics/collections.ts';
import { type ClusterProber, type DryRunRequest, ReadError } from '../../collect/cluster.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import type { HttpResponse } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import { inNamespace } from '../../facts/sample.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { DryRunResponse } from '../../soak/dry-run-outcome.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { givenObjects, servedKind } from '../input/given-objects.ts';

/** An object to send, and the request for it. */
export interface SoakedObject {
  readonly request: DryRunRequest;
  readonly object: { readonly kind: string; readonly namespace?: string; readonly name: string };
}

/**
 * The request that creates an object from a file; `namespace` is for an object without one. Throws
 * CannotStart.
 */
export function objectFrom(text: string, facts: Pick<Facts, 'served'>, namespace: string): SoakedObject {
  const [given, another] = givenObjects(text, '-f');
  if (given === undefined || another !== undefined)
    throw new CannotStart('the file of -f must contain exactly one object');
  const { group, version, resource: plural, kind, namespaced } = servedKind(given, facts);
  const object = inNamespace(given, namespaced, namespace);
  const { name, generateName = '', namespace: place } = object.metadata;
  const where = namespaced && place !== undefined ? { namespace: place } : {};
  const path = pathOf({ group, version, plural }, where.namespace);
  return {
    request: { verb: 'create', path, object },
    object: { kind, name: name ?? generateName, ...where },
  };
}

/** Milliseconds added to the webhook's timeout, as for doctor's dry runs. */
const timeForOthers = 5_000;

const asDryRunAnswer = ({ status, body }: HttpResponse): DryRunResponse => ({
  status,
  body: parsedJson(Buffer.from(body).toString('utf8')),
});

/** Sends one request; an error counts as its failure. */
export async function sendOnce(
  prober: ClusterProber,
  { request }: SoakedObject,
  callout: AdmissionCallout,
): Promise<DryRunResponse | { readonly failure: string }> {
  const late = AbortSignal.timeout(callout.timeoutSeconds * 1000 + timeForOthers);
  try {
    return asDryRunAnswer(await prober.dryRun(request, late));
  } catch (error) {
    if (late.aborted) return { failure: 'the API server did not respond in time' };
    if (error instanceof ReadError) return { failure: error.message };
    throw error;
  }
}
