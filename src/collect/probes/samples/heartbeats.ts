import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import { mayCover } from '../../../apiserver/admission/impact.ts';
import type { MatchFacts } from '../../../apiserver/admission/match.ts';
import type { AdmissionCallout } from '../../../facts/callout.ts';
import { lastWritersFirst } from '../../../facts/objects/metadata.ts';
import { groupVersionOf, type Permission, pathOf } from '../../../facts/resource.ts';
import type { ServedResource } from '../../../facts/served-resources.ts';
import type { ClusterProber } from '../../cluster.ts';
import { jsonOf, requestEnds } from '../api-server/api-call.ts';
import { type RealObject, requestAbout, whyNotCalled } from './sample-objects.ts';

/** Each kubelet writes its Lease every 10 s (nodeLeaseDurationSeconds / 4). */
const nodeLease = {
  operation: 'UPDATE',
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-node-lease',
} as const;
/** Seconds: two writes of a Lease are missing. */
const overdueSeconds = 25;
/** The maximum number of Leases that are read. */
const fewLeases = 20;

/** The permission to list the heartbeats of nodes, if a webhook may match them. */
export const heartbeatPermissions = (callouts: readonly AdmissionCallout[]): readonly Permission[] =>
  callouts.some((callout) => mayCover(callout, nodeLease))
    ? [
        {
          group: nodeLease.group,
          resource: nodeLease.resource,
          verbs: ['list'],
          scope: { namespace: nodeLease.namespace },
          use: 'heartbeats of nodes that a webhook may deny',
        },
      ]
    : [];

/** A heartbeat of a node as its kubelet would write it next. */
interface OverdueHeartbeat {
  readonly lease: RealObject;
  readonly request: AdmissionRequest;
  /** RFC 3339: the last write of any node. */
  readonly since: string;
}

/** The update of a node's Lease by its kubelet. */
function renewal(lease: RealObject, served: ServedResource): AdmissionRequest {
  const { name } = lease.metadata;
  const user = { username: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
  const spec = { ...(lease.spec as object), renewTime: `${new Date().toISOString().slice(0, -1)}000Z` };
  return requestAbout({ ...lease, spec }, served, user, lease);
}

/**
 * Returns the next heartbeat of a node that the webhook is called for, if no node has written one for a while. If one
 * has, heartbeats pass. Undefined as well if they could not be read.
 */
export async function overdueHeartbeat(
  prober: ClusterProber,
  callout: AdmissionCallout,
  facts: MatchFacts,
): Promise<OverdueHeartbeat | undefined> {
  const { group, version, resource, namespace } = nodeLease;
  const served = (facts.served.getIfKnown('served')?.resources ?? []).find(
    (one) => one.group === group && one.version === version && one.resource === resource,
  );
  if (served === undefined || !mayCover(callout, nodeLease)) return undefined;
  try {
    const path = `${pathOf({ group, version, plural: resource }, namespace)}?limit=${fewLeases}`;
    const answer = await prober.get(path, requestEnds(prober));
    // Both times are of the API server.
    const now = Date.parse(answer.headers.date ?? '');
    if (answer.status !== 200 || Number.isNaN(now)) return undefined;
    const { items = [] } = jsonOf<{ readonly items?: readonly RealObject[] }>(answer);
    const written = items.map(
      ({ metadata }) => lastWritersFirst(metadata.managedFields ?? [])[0]?.time ?? '',
    );
    const [first] = items;
    const isOverdue = (time: string) => now - Date.parse(time) > overdueSeconds * 1000;
    if (first === undefined || !written.every(isOverdue)) return undefined;
    const lease = { apiVersion: groupVersionOf(served), kind: served.kind, ...first };
    const request = renewal(lease, served);
    return whyNotCalled(callout, request, facts) === undefined
      ? { lease, request, since: written.toSorted().at(-1) ?? '' }
      : undefined;
  } catch {
    return undefined;
  }
}
