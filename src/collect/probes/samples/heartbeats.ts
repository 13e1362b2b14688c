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

/** Each kubelet writes its Lease four times in `leaseDurationSeconds` (pkg/kubelet/kubelet.go, nodeLeaseRenewIntervalFraction). */
const nodeLease = {
  operation: 'UPDATE',
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  namespace: 'kube-node-lease',
} as const;
/** `leaseDurationSeconds` if a Lease has none: the default of the kubelet. */
const usualDuration = 40;
/** Of `leaseDurationSeconds`: two writes of a Lease are missing. */
const overdueAfter = 0.625;
/** The maximum number of Leases in the first list, in which one that is renewed is enough, and in each further one. */
const fewLeases = 20;
const manyLeases = 500;
/** The maximum number of lists: above it, nothing is known. */
const mostLists = 20;

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

/** A Lease, and its last renewal in milliseconds since 1970: 0 if there is none. */
interface RenewedLease {
  readonly lease: RealObject;
  readonly renewed: number;
  readonly isOverdue: boolean;
}

/**
 * The last renewal of a Lease: `renewTime` by the clock of the node, or the last write by that of the API server. The
 * later one counts: a wrong clock of a node must not make its Lease overdue.
 */
function renewedLease(lease: RealObject, now: number): RenewedLease {
  const { leaseDurationSeconds = usualDuration, renewTime = '' } = (lease.spec ?? {}) as Partial<LeaseSpec>;
  const written = lastWritersFirst(lease.metadata.managedFields ?? [])[0]?.time ?? '';
  const times = [renewTime, written].map((time) => Date.parse(time)).filter((time) => !Number.isNaN(time));
  const renewed = Math.max(0, ...times);
  return { lease, renewed, isOverdue: now - renewed > leaseDurationSeconds * overdueAfter * 1000 };
}

interface LeaseSpec {
  readonly leaseDurationSeconds: number;
  readonly renewTime: string;
}

interface LeaseList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly RealObject[];
}

/**
 * Returns the Lease of a node that was renewed last, if every Lease is overdue. Undefined if one is not, if there is
 * none, or if not all could be read. Throws if the API server does not respond.
 */
async function newestOverdue(prober: ClusterProber): Promise<RenewedLease | undefined> {
  const { group, version, resource, namespace } = nodeLease;
  const path = pathOf({ group, version, plural: resource }, namespace);
  let newest: RenewedLease | undefined;
  let rest = '';
  for (let lists = 0; lists < mostLists; lists += 1) {
    const limit = lists === 0 ? fewLeases : manyLeases;
    const next = rest === '' ? '' : `&continue=${encodeURIComponent(rest)}`;
    const answer = await prober.get(`${path}?limit=${limit}${next}`, requestEnds(prober));
    const now = Date.parse(answer.headers.date ?? '');
    if (answer.status !== 200 || Number.isNaN(now)) return undefined;
    const { items = [], metadata } = jsonOf<LeaseList>(answer);
    for (const item of items) {
      const one = renewedLease(item, now);
      if (!one.isOverdue) return undefined;
      if (newest === undefined || one.renewed > newest.renewed) newest = one;
    }
    rest = metadata?.continue ?? '';
    if (rest === '') return newest;
  }
  return undefined;
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
  const { group, version, resource } = nodeLease;
  const served = (facts.served.getIfKnown('served')?.resources ?? []).find(
    (one) => one.group === group && one.version === version && one.resource === resource,
  );
  if (served === undefined || !mayCover(callout, nodeLease)) return undefined;
  try {
    const newest = await newestOverdue(prober);
    if (newest === undefined || newest.renewed === 0) return undefined;
    const lease = { apiVersion: groupVersionOf(served), kind: served.kind, ...newest.lease };
    const request = renewal(lease, served);
    const since = `${new Date(newest.renewed).toISOString().slice(0, -5)}Z`;
    return whyNotCalled(callout, request, facts) === undefined ? { lease, request, since } : undefined;
  } catch {
    return undefined;
  }
}
