import type { AdmissionCallout } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { NotKnown } from '../../facts/unread.ts';
import { clauses } from '../../phrases/lists.ts';
import { kubelet, scheduler } from '../deadlock/admission-path.ts';
import type { AdmissionRequest, RequestUser } from './admission-request.ts';
import { impactOf, type MatchedRequest, mayCover } from './impact.ts';
import { selectedNamespaces } from './selected-namespaces.ts';

/** A request that the cluster itself needs, and the consequence if it is refused. */
export interface VitalRequest {
  readonly request: AdmissionRequest;
  /** The rest of the sentence "while it is down, …". */
  readonly impact: string;
  /**
   * Seconds after which the client ends the request, if it is useless by then: a leader's update of its Lease by half
   * of the renew deadline, 10 s by default (client-go tools/leaderelection/resourcelock NewFromKubeconfig); a
   * kubelet's heartbeats after 10 s (kubelet nodeStatusUpdateFrequency).
   */
  readonly clientTimeout?: number;
}

interface VitalDetails {
  /** Absent for a cluster-scoped resource, and for a request in any namespace. */
  readonly namespace?: string;
  readonly impact?: string;
  readonly clientTimeout?: number;
  /** Several if any of them may send it. */
  readonly user?: RequestUser | readonly RequestUser[];
}

/**
 * Builds a vital request, for an object without labels.
 *
 * @param groupVersion as in `apiVersion`: `coordination.k8s.io/v1`.
 * @param resource plural, with the subresource: `pods/status`.
 */
export function vital(
  operation: AdmissionRequest['operation'],
  groupVersion: string,
  resource: string,
  { namespace, impact = '', clientTimeout, user }: VitalDetails = {},
): VitalRequest {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  const [plural = '', subresource = ''] = resource.split('/');
  const request = { operation, group, version, resource: plural, subresource };
  const known = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(user !== undefined && ('username' in user ? { user } : { oneOf: user })),
  };
  return { request: { ...request, ...known }, impact, ...(clientTimeout !== undefined && { clientTimeout }) };
}

/** The requests that the rules of a webhook may match, in one namespace. */
export const coveredIn = (
  callout: AdmissionCallout,
  requests: readonly VitalRequest[],
  namespaceOf: () => string,
): readonly VitalRequest[] =>
  requests
    .filter(({ request }) => mayCover(callout, request))
    .map(({ request, impact }) => ({ request: { ...request, namespace: namespaceOf() }, impact }));

/**
 * The requests that the webhook is called for. Throws NotKnown if a required read failed. A matchCondition
 * that cannot be evaluated counts as an exclusion.
 */
export function vitalRequestsMatched(
  callout: AdmissionCallout,
  requests: readonly VitalRequest[],
  facts: Pick<Facts, 'version' | 'namespaces' | 'served'>,
): readonly MatchedRequest<VitalRequest>[] {
  const { matched, undecided } = impactOf(callout, requests, facts);
  const unread = undecided.find((one) => one.unread !== undefined)?.unread;
  if (matched.length === 0 && unread !== undefined) throw new NotKnown(unread);
  return matched;
}

/** `no Pod is scheduled`, for a message; and all consequences, for its evidence. */
export function writesHarmed(
  { ref: object }: AdmissionCallout,
  matched: readonly MatchedRequest<VitalRequest>[],
) {
  const harms = [...new Set(matched.map(({ about }) => about.impact))];
  const all: Evidence = { object, field: 'while it is down', value: clauses(harms) };
  return { harm: harms[0] ?? '', all };
}

/** The consequence of missing Leases: a kubelet posts its status only every five minutes (nodestatus). */
export const nodeNotReadyText = 'nodes become NotReady within a minute';
/** The node controller also writes the status: without it a dead node stays Ready (confirmed on 1.35.4). */
export const noStatus = 'nodes cannot report their status, and dead nodes stay Ready';

const ofTheCluster: readonly VitalRequest[] = [
  vital('UPDATE', 'coordination.k8s.io/v1', 'leases', {
    namespace: 'kube-node-lease',
    impact: nodeNotReadyText,
    clientTimeout: 10,
    user: kubelet,
  }),
  vital('UPDATE', 'coordination.k8s.io/v1', 'leases', {
    namespace: 'kube-system',
    impact: 'the scheduler and the controller manager lose leader election',
    clientTimeout: 5,
    user: scheduler,
  }),
  vital('UPDATE', 'v1', 'nodes/status', { impact: noStatus, clientTimeout: 10, user: kubelet }),
  vital('CREATE', 'certificates.k8s.io/v1', 'certificatesigningrequests', {
    impact: 'nodes get no certificates',
    user: kubelet,
  }),
];

/** Writes of the kubelet and the scheduler for each Pod, in any namespace. */
const inNamespace: readonly VitalRequest[] = [
  vital('CREATE', 'v1', 'pods/binding', { impact: 'no Pod is bound to a node', user: scheduler }),
  vital('CREATE', 'v1', 'serviceaccounts/token', { impact: 'no new Pod gets its token', user: kubelet }),
  vital('UPDATE', 'v1', 'pods/status', { impact: 'no Pod becomes Ready', user: kubelet }),
  vital('CREATE', 'v1', 'events', { impact: 'events are lost' }),
];

/** The regular writes of nodes and controllers that the rules of a webhook may match. */
export const heartbeats = (
  callout: AdmissionCallout,
  facts: Pick<Facts, 'namespaces'>,
): readonly VitalRequest[] => [
  ...ofTheCluster,
  ...coveredIn(callout, inNamespace, () => selectedNamespaces(callout, facts)[0] ?? 'kube-system'),
];
