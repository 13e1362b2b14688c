import type { Lease } from '../../../facts/objects/lease.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { heldLeases, leaseNamespaces, leasesHeldBy } from '../../../facts/workloads/leaders.ts';
import { isRead, type Reading } from '../../attempts.ts';
import { defineCollector, eachKey, type ReadOptions } from '../../collector.ts';
import {
  type BackendFacts,
  brokenBackends,
  brokenFacts,
  failingNamespaces,
  isPartlyReady,
  podsOf,
} from '../../suspect-backends.ts';
import { certificatesToRead } from '../../suspect-certificates.ts';

type LeaderFacts = BackendFacts & Pick<Facts, 'namespaces' | 'pods' | 'leases'>;

/** The key for Leases in all other namespaces that are held by one of the Pods. */
const elsewhere = '*';

/** Namespaces of backends that may use leader election, and of the Leases that their arguments name. */
function near(facts: LeaderFacts, readOptions: ReadOptions): readonly string[] {
  const failing = new Set(failingNamespaces(facts, readOptions));
  return brokenBackends(facts, readOptions)
    .filter((backend) => failing.has(backend.namespace) || isPartlyReady(backend))
    .flatMap((backend) => [backend.namespace, ...podsOf(facts, backend).flatMap(leaseNamespaces)]);
}

/** Pods of backends that seem to use leader election but do not hold a Lease in their own namespace. */
function leaderless(facts: LeaderFacts, readOptions: ReadOptions): readonly Pod[] {
  const known = facts.leases.all().flat();
  return brokenBackends(facts, readOptions)
    .filter((backend) => backend.failedProbe || isPartlyReady(backend))
    .map((backend) => podsOf(facts, backend))
    .filter((some) => some.length > 1 && heldLeases(known, some).length === 0)
    .flat();
}

/**
 * True for a heartbeat of a program in these Pods: it has only a time of renewal. A leader election records when and
 * how often the Lease was acquired (client-go tools/leaderelection/resourcelock).
 */
function isHeartbeat({ metadata, spec }: Lease, pods: readonly Pod[]): boolean {
  if (spec?.acquireTime !== undefined || spec?.leaseTransitions !== undefined) return false;
  const programs = pods.flatMap((pod) => pod.spec.containers.flatMap(({ name, image }) => [name, image]));
  return (metadata.managedFields ?? []).some(
    ({ manager }) => manager !== undefined && programs.some((program) => program?.includes(manager)),
  );
}

const ofElections = (leases: Reading<readonly Lease[]>, pods: readonly Pod[]): Reading<readonly Lease[]> =>
  isRead(leases) ? { ...leases, value: leases.value.filter((lease) => !isHeartbeat(lease, pods)) } : leases;

/** Excludes node heartbeats: kube-node-lease has one Lease per Node. */
const heartbeats = { fieldSelector: 'metadata.namespace!=kube-node-lease' };

export const leases = defineCollector({
  fact: 'leases',
  topics: ['failures', 'certificates'],
  needs: [...brokenFacts, 'pods'],
  grows: ['leases'],
  permissions: [toRead(resources.Lease, ['list'], 'backends', 'the Pod that is the leader')],
  otherwise: 'Leases of a namespace that was not examined',
  wants(facts, readOptions) {
    const nearby = near(facts, readOptions);
    const isRequested = nearby.every((namespace) => facts.leases.why(namespace)?.why !== 'not-requested');
    const further = isRequested && leaderless(facts, readOptions).length > 0 ? [elsewhere] : [];
    return [...nearby, ...certificatesToRead(facts, readOptions).leasesIn, ...further];
  },
  async read(access, keys, facts, readOptions) {
    const namespaces = keys.filter((key) => key !== elsewhere);
    const pods = facts.pods.all().flat();
    if (namespaces.length === keys.length)
      return eachKey(namespaces, async (namespace) =>
        ofElections(await access.list<Lease>(resources.Lease, { namespace }), pods),
      );
    const found = new Map<string, Reading<readonly Lease[]>>();
    const everywhere = ofElections(
      await access.list<Lease>(resources.Lease, { query: heartbeats, refusable: true }),
      pods,
    );
    if (!isRead(everywhere)) return found;
    const held = leasesHeldBy(everywhere.value, leaderless(facts, readOptions));
    for (const { metadata } of held) {
      const { namespace = '' } = metadata;
      found.set(namespace, { value: held.filter((lease) => (lease.metadata.namespace ?? '') === namespace) });
    }
    return found;
  },
});
