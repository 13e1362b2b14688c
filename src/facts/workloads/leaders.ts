import { secondsSince } from '../../basics/time.ts';
import { type Callout, isServiceBacked } from '../callout.ts';
import type { Evidence } from '../evidence.ts';
import { keyOf } from '../object-ref.ts';
import type { Lease } from '../objects/lease.ts';
import type { Container, Pod } from '../objects/pod.ts';
import type { Facts } from '../snapshot.ts';
import { workloadOfPod } from './workloads.ts';

/**
 * The flags and environment variables of a container, as names and values: `--leader-elect=true`,
 * `--leader-election-id x`, `LEADER_ELECTION=1`. A flag alone has no value.
 */
export function settings({
  command = [],
  args = [],
  env = [],
}: Container): readonly (readonly [string, string | undefined])[] {
  const words = [...command, ...args].flatMap((word) => word.split(/\s+/));
  const flags = words.flatMap((word, at): readonly (readonly [string, string | undefined])[] => {
    const flag = /^--?(?<name>[a-z][\w.-]*)(?:=(?<value>.*))?$/i.exec(word)?.groups;
    if (flag?.name === undefined) return [];
    const next = words[at + 1];
    return [[flag.name, flag.value ?? (next === undefined || next.startsWith('-') ? undefined : next)]];
  });
  return [...flags, ...env.map(({ name, value }) => [name, value] as const)];
}

/** Whether a value of a setting means that it is off. */
export const isOff = (value: string): boolean => /^(false|0|no|none|off|disabled|)$/i.test(value);

const ofLeaders = ({ spec }: Pod): readonly (readonly [string, string | undefined])[] =>
  spec.containers.flatMap(settings).filter(([name]) => /leader|^lease$/i.test(name));

/** True if a container of the Pod enables leader election: `--leader-elect`, `--enable-leader-election`, … */
export const electsLeader = (pod: Pod): boolean =>
  ofLeaders(pod).some(([, value]) => value === undefined || !isOff(value));

/**
 * Namespaces of the Lease in the flags of a Pod's containers: `--leader-election-namespace NAME`,
 * `--leader-elect-resource-namespace=NAME`, or `NAMESPACE/LEASE`.
 */
export const leaseNamespaces = (pod: Pod): readonly string[] =>
  ofLeaders(pod).flatMap(([name, value = '']) => {
    const given = /namespace/i.test(name) ? value : value.split('/').slice(0, -1).join('/');
    return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(given) ? [given] : [];
  });

/**
 * True if this Pod is the holder of a Lease. client-go uses the host name, controller-runtime `HOST_UUID`
 * (pkg/leaderelection/leader_election.go), others separate with `-`, `/` or prefix a namespace. The host name
 * is that of the Pod, or of the node for a Pod on the host network.
 */
export function isHeldBy(identity: string, { metadata, spec }: Pod): boolean {
  const own = identity.includes('/') ? identity.slice(identity.lastIndexOf('/') + 1) : identity;
  const names = [metadata.name, metadata.uid, ...(spec.hostNetwork === true ? [spec.nodeName] : [])];
  return names.some(
    (name) =>
      name !== undefined &&
      name !== '' &&
      (own === name || own.startsWith(`${name}_`) || own.startsWith(`${name}-`) || own.endsWith(`_${name}`)),
  );
}

/** Seconds after the expiry of a Lease until it counts as stale: clocks differ, and reads take time. */
const clockTolerance = 5;

/** Seconds since the expiry of a Lease; undefined if it is held or has no times. */
export function overdue({ spec = {} }: Lease, now: string): number | undefined {
  const { renewTime, leaseDurationSeconds = 15 } = spec;
  const since = secondsSince(renewTime, now);
  if (since === undefined || since <= leaseDurationSeconds + clockTolerance) return undefined;
  return Math.round(since - leaseDurationSeconds);
}

/** The Leases of a namespace that one of these Pods holds, each with its Pod. */
export const heldLeases = (
  leases: readonly Lease[],
  pods: readonly Pod[],
): readonly { readonly lease: Lease; readonly pod: Pod }[] =>
  leases.flatMap((lease) => {
    const identity = lease.spec?.holderIdentity ?? '';
    // The longest name first: `policy-1` is a prefix of `policy-12`.
    const named = [...pods].sort((a, b) => b.metadata.name.length - a.metadata.name.length);
    const pod = identity === '' ? undefined : named.find((one) => isHeldBy(identity, one));
    return pod === undefined ? [] : [{ lease, pod }];
  });

/** True for `policy-5d4f8c7b9-x2x4k_0a1b…`: the identity of a former Pod of the same workload. */
export function isOfFormerPod(identity: string, pods: readonly Pod[]): boolean {
  const host = identity.slice(identity.lastIndexOf('/') + 1);
  return pods.some((pod) => {
    const { kind, name } = workloadOfPod(pod);
    if (kind === 'Pod') return false;
    const rest = host.startsWith(`${name}-`) ? host.slice(name.length + 1) : '';
    return kind === 'StatefulSet'
      ? /^\d+(_|$)/.test(rest)
      : /^([bcdfghjklmnpqrstvwxz2456789]{1,10}-)?[bcdfghjklmnpqrstvwxz2456789]{5}(_|$)/.test(rest);
  });
}

/** Seconds after which a missing holder is not a Pod that was just replaced. */
const replacementDelay = 60;

/** A Lease that its holder, a deleted Pod of the workload, has not released: it must expire first. */
export function abandonedLease(
  leases: readonly Lease[],
  pods: readonly Pod[],
  takenAt: string,
): Lease | undefined {
  if (heldLeases(leases, pods).length > 0) return undefined;
  return leases.find((lease) => {
    const { holderIdentity = '', renewTime } = lease.spec ?? {};
    const since = secondsSince(renewTime, takenAt) ?? 0;
    return (
      since > replacementDelay && overdue(lease, takenAt) === undefined && isOfFormerPod(holderIdentity, pods)
    );
  });
}

/** The Lease of a controller without a leader: it was released, or not renewed for far too long. */
export function leaderlessLease(
  lease: { readonly namespace: string; readonly name: string },
  { leases, takenAt }: Pick<Facts, 'leases' | 'takenAt'>,
): Evidence | undefined {
  if (!leases.known(lease.namespace)) return undefined;
  const found = leases.get(lease.namespace)?.find(({ metadata }) => metadata.name === lease.name);
  if (found?.spec === undefined) return undefined;
  const { holderIdentity, renewTime, leaseDurationSeconds = 60 } = found.spec;
  const age = renewTime === undefined ? 0 : Date.parse(takenAt) - Date.parse(renewTime);
  if (holderIdentity !== '' && age < 4 * leaseDurationSeconds * 1000) return undefined;
  const object = { kind: 'Lease', namespace: lease.namespace, name: lease.name };
  const value = holderIdentity === '' ? 'held by no process' : `last renewed at ${renewTime}`;
  return { object, field: 'spec', value };
}

/** The Pods with a generated name, which is unique across namespaces. */
const namedAtRandom = (pods: readonly Pod[]): readonly Pod[] =>
  pods.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'ReplicaSet' || kind === 'DaemonSet'),
  );

/** The Leases of any namespace that are certainly held by one of these Pods. */
export const leasesHeldBy = (leases: readonly Lease[], pods: readonly Pod[]): readonly Lease[] =>
  heldLeases(leases, namedAtRandom(pods)).map(({ lease }) => lease);

/**
 * The Leases in the namespace of these Pods, in the namespaces of their flags, and those that they hold
 * elsewhere; none if Leases were not read.
 */
export function leasesAround(
  namespace: string,
  pods: readonly Pod[],
  { leases }: Pick<Facts, 'leases'>,
): readonly Lease[] {
  const near = new Set([namespace, ...pods.flatMap(leaseNamespaces)]);
  const far = [...leases.entries()].flatMap(([one, all]) => (near.has(one) ? [] : all));
  return [...[...near].flatMap((one) => leases.getIfKnown(one) ?? []), ...leasesHeldBy(far, pods)];
}

/** Names of the Pods of a callout that hold a Lease; undefined if there are none, or Leases were not read. */
export function leaderNames(
  callout: Callout,
  { pods, leases }: Pick<Facts, 'pods' | 'leases'>,
): ReadonlySet<string> | undefined {
  if (!isServiceBacked(callout)) return undefined;
  const { namespace } = callout.client.service;
  const key = keyOf(callout.client.service);
  const known = pods.getIfKnown(key) ?? [];
  const held = heldLeases(leasesAround(namespace, known, { leases }), known);
  return held.length === 0 ? undefined : new Set(held.map(({ pod }) => pod.metadata.name));
}

/** Seconds after which a Pod is stuck in Terminating, such as those of a lost node. */
const deletionGraceSeconds = 60;

/**
 * The state of a Pod that no longer runs although its locks remain: its reason or phase, or `Terminating` if its
 * deletion is overdue. Undefined for any other Pod.
 */
export function endedState({ metadata, status }: Pod, now: string): string | undefined {
  if ((secondsSince(metadata.deletionTimestamp, now) ?? 0) > deletionGraceSeconds) return 'Terminating';
  const { phase, reason = phase } = status;
  return phase === 'Failed' || phase === 'Succeeded' ? reason : undefined;
}
