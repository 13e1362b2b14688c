import { type AdmissionCallout, isAdmission } from '../facts/callout.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { impactOf } from './impact.ts';
import type { MatchFacts } from './match.ts';
import { unforeseenLabels } from './unforeseen-labels.ts';

const resourceOfKind: Readonly<Record<string, readonly [string, string]>> = {
  Deployment: ['apps', 'deployments'],
  ReplicaSet: ['apps', 'replicasets'],
  StatefulSet: ['apps', 'statefulsets'],
  DaemonSet: ['apps', 'daemonsets'],
  Job: ['batch', 'jobs'],
};

/** `wave.pusher.com` of `wave.pusher.com/invalid`; undefined for plain names. */
export const domainOf = (name: string): string | undefined =>
  name.includes('/') ? name.slice(0, name.indexOf('/')) : undefined;

const belongsTo = (domain: string, { webhook, configuration }: AdmissionCallout): boolean =>
  webhook === domain || webhook.endsWith(`.${domain}`) || configuration.includes(domain);

/** The requests in which it may have been parked. */
export function requestsFor(pod: Pod, workload: ObjectRef): readonly AdmissionRequest[] {
  const { namespace = '', labels = {} } = pod.metadata;
  const over = resourceOfKind[workload.kind];
  const ofPod = {
    operation: 'CREATE',
    group: '',
    version: 'v1',
    resource: 'pods',
    kind: 'Pod',
    namespace,
    labels,
  } as const;
  if (over === undefined) return [ofPod];
  const [group, resource] = over;
  const ofOwner = { group, version: 'v1', resource, kind: workload.kind, namespace, moreLabels: true };
  return [ofPod, { ...ofOwner, operation: 'CREATE' }, { ...ofOwner, operation: 'UPDATE' }];
}

/**
 * Mutating webhooks that may have given a Pod its scheduler or its gates: those that are asked about it or about what
 * makes it, and of these the ones that the domain of the parked name names, where it names any.
 */
export function webhooksFor(
  pod: Pod,
  workload: ObjectRef,
  domain: string | undefined,
  facts: MatchFacts & Pick<Facts, 'callouts'>,
): readonly AdmissionCallout[] {
  const requests = requestsFor(pod, workload);
  const covering = facts.callouts.filter(isAdmission).filter((callout) => {
    if (callout.kind !== 'mutating') return false;
    const about = requests.map((request) => ({ request: unforeseenLabels(request, callout) }));
    const { asked, untold } = impactOf(callout, about, facts);
    return asked.length + untold.length > 0;
  });
  const named = domain === undefined ? [] : covering.filter((callout) => belongsTo(domain, callout));
  return named.length > 0 ? named : covering;
}
