import { type ProbeFacts, probeFacts } from '../apiserver/connection/probed-callouts.ts';
import { probedEndpoints, serverNames, usableEndpoints } from '../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../apiserver/connection/probed-servers.ts';
import type { Backend } from '../apiserver/routing/backends.ts';
import { lastLogLines } from '../apiserver/sentences/logs/log-lines.ts';
import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Lease } from '../facts/objects/lease.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { heldLeases, leasesAround, overdue } from '../facts/workloads/leaders.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import { isPodReady } from '../facts/workloads/pod-state.ts';
import { knownPods, replicaPods } from '../facts/workloads/replicas.ts';
import { controllerOf } from '../facts/workloads/workloads.ts';
import { podByName } from './listening.ts';

/** The facts that show the leader, besides probes. */
export const leaderFacts = [...probeFacts, 'leases'] as const;
/** The facts of {@link leaderFacts}. */
export type LeaderFacts = ProbeFacts & Pick<Facts, 'pods' | 'leases'>;

/** The Leases that these Pods of a backend may hold; empty if not read. */
export function knownLeases(
  callout: Callout,
  pods: readonly Pod[],
  facts: Pick<Facts, 'leases'>,
): readonly Lease[] {
  const namespace = callout.client.service?.namespace;
  return namespace === undefined ? [] : leasesAround(namespace, pods, facts);
}

/** Lines about the election itself, which each replica that is not the leader writes. */
const ofElection = /leaderelection\.go|\bleader lease\b/;
const waiting = /\bwait(?:s|ing)?\b.{0,40}\b(?:cert|secret|lead|lock|elect)/i;

/** What a program waits for at the end of its log: its certificate, or leadership. */
export const waitIn = (log: string, sought = waiting): string | undefined =>
  lastLogLines(log, 5)
    .filter((line) => !ofElection.test(line))
    .slice(-1)
    .find((line) => sought.test(line));

/** What programs log while they wait for something else than a Lease: a certificate, a kind that must be installed. */
const beforeElection =
  /\bwait(?:s|ing)?\b.{0,40}\b(?:cert|secret|crds?\b|custom ?resource)|if kind is a CRD, it should be installed|no matches for kind /i;

/** True if the log of a Pod ends with another wait, and the Pod has not tried to become the leader (client-go leaderelection.go). */
export const waitsBeforeElection = (pod: Pod, facts: Pick<Facts, 'logs'>): boolean => {
  const logs = pod.spec.containers.map(({ name }) => logOf(pod, name, facts));
  return (
    logs.some((log) => waitIn(log, beforeElection) !== undefined) &&
    !logs.some((log) => log.includes('attempting to acquire leader lease'))
  );
};

/** The advice if only the leader of several Pods of one revision starts correctly. */
export const onlyTheLeader =
  '[look] Read what the other Pods wait for: `kubectl -n {namespace} logs {pod} -c {container}`. [end] Until a release of the program fixes it, run one replica: `kubectl -n {namespace} scale {workload} --replicas=1`.';

/**
 * The Lease `namespace/name`, if its holder has the revision of these Pods, and is the only other one. None of a
 * DaemonSet, which has no number of replicas.
 */
export function leaseOfSurvivor(
  bad: readonly Pod[],
  { namespace, callout }: Backend,
  facts: Pick<Facts, 'pods' | 'leases'>,
): string | undefined {
  const all = replicaPods(knownPods(callout, facts));
  const [survivor, ...others] = all.filter(
    (pod) => !bad.some(({ metadata }) => metadata.name === pod.metadata.name),
  );
  const revision = ({ metadata }: Pod) => controllerOf(metadata)?.uid;
  if (survivor === undefined || controllerOf(survivor.metadata)?.kind === 'DaemonSet') return undefined;
  if (others.length > 0 || bad.some((pod) => revision(pod) !== revision(survivor))) return undefined;
  const [led] = heldLeases(leasesAround(namespace, all, facts), [survivor]);
  return led && keyOf(led.lease.metadata);
}

/** A backend of which only the replica that holds a Lease responds correctly. */
export interface Gate {
  readonly holder: ProbedEndpoint;
  readonly lease: Lease;
  /** The servers that a new connection can reach and that respond differently. */
  readonly others: readonly ProbedEndpoint[];
  /** The number of servers that a new connection can reach. */
  readonly total: number;
  /** The number of known Pods and addresses, also of those that no connection can reach. */
  readonly servers: number;
}

/** Images and settings: a Pod that starts its server only with other arguments does not wait for the Lease. */
const programOf = (pod: Pod): string =>
  JSON.stringify(pod.spec.containers.map(({ image, command, args, env }) => [image, command, args, env]));

/** True for Pods of one ReplicaSet, to which a webhook may have added other variables, and for those of one program. */
const areAlike = (one: Pod, other: Pod): boolean => {
  const { kind, uid } = controllerOf(one.metadata) ?? {};
  return (
    (kind === 'ReplicaSet' && uid === controllerOf(other.metadata)?.uid) ||
    programOf(one) === programOf(other)
  );
};

/**
 * Finds out whether leadership explains that replicas respond differently. Replicas that are not Ready, or
 * that all run another image than the holder, or with other settings, have another cause.
 *
 * @param isGated tests the failure of the others.
 * @param isRight tests the response of the holder; default: it responds.
 */
export function gateOf(
  callout: Callout,
  facts: LeaderFacts,
  isGated: (endpoint: ProbedEndpoint) => boolean,
  isRight: (endpoint: ProbedEndpoint) => boolean = ({ callResult }) => callResult.outcome === 'answers',
): Gate | undefined {
  if (!isServiceBacked(callout)) return undefined;
  const usable = usableEndpoints(callout, facts);
  const [holder, another] = probedEndpoints(callout, facts).filter(isRight);
  if (holder === undefined || another !== undefined) return undefined;
  const pods = knownPods(callout, facts);
  const led = heldLeases(knownLeases(callout, pods, facts), pods).find(
    ({ pod, lease }) => pod.metadata.name === holder.pod && overdue(lease, facts.takenAt) === undefined,
  );
  if (led === undefined) return undefined;
  const others = usable.filter((endpoint) => endpoint !== holder && isGated(endpoint));
  const alike = others.filter(({ pod }) => {
    const read = podByName(pod, pods);
    return read !== undefined && isPodReady(read) && areAlike(read, led.pod);
  });
  if (alike.length === 0) return undefined;
  const servers = serverNames(callout, facts).size;
  return { holder, lease: led.lease, others, total: usable.length, servers };
}
