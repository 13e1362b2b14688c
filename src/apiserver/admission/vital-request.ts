import type { AdmissionCallout } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { NotKnown } from '../../facts/unread.ts';
import type { AdmissionRequest, RequestUser } from './admission-request.ts';
import { impactOf, type MatchedRequest, mayCover } from './impact.ts';

/** A request that the cluster lives by, and what happens when it is refused. */
export interface VitalRequest {
  readonly request: AdmissionRequest;
  /** Ends the sentence "while it does not answer, …". */
  readonly harm: string;
}

/** `vital('UPDATE', 'coordination.k8s.io/v1', 'leases', …)`: an object that carries no label anybody asks about. */
export function vital(
  operation: AdmissionRequest['operation'],
  groupVersion: string,
  resource: string,
  namespace: string | undefined,
  harm: string,
  user?: RequestUser,
): VitalRequest {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  const [plural = '', subresource = ''] = resource.split('/');
  const request = { operation, group, version, resource: plural, subresource };
  const known = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(user === undefined ? {} : { user }),
  };
  return { request: { ...request, ...known }, harm };
}

/** Those of the requests that the rules of a webhook fit, made in one namespace. */
export const coveredIn = (
  callout: AdmissionCallout,
  requests: readonly VitalRequest[],
  namespaceOf: () => string,
): readonly VitalRequest[] =>
  requests
    .filter(({ request }) => mayCover(callout, request))
    .map(({ request, harm }) => ({ request: { ...request, namespace: namespaceOf() }, harm }));

/**
 * The requests that the webhook is asked about. Throws NotKnown where that could not be read; a condition that nobody
 * can evaluate here is passed over: it is there to leave something out.
 */
export function askedAbout(
  callout: AdmissionCallout,
  requests: readonly VitalRequest[],
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): readonly MatchedRequest<VitalRequest>[] {
  const { asked, untold } = impactOf(callout, requests, facts);
  const unread = untold.find((one) => one.unread !== undefined)?.unread;
  if (asked.length === 0 && unread !== undefined) throw new NotKnown(unread);
  return asked;
}

/** `no Pod is scheduled, and no Pod becomes Ready`: each harm once. */
export function harmText(asked: readonly MatchedRequest<VitalRequest>[]): string {
  const harms = [...new Set(asked.map(({ about }) => about.harm))];
  const last = harms.pop() ?? '';
  return harms.length === 0 ? last : `${harms.join(', ')}, and ${last}`;
}
