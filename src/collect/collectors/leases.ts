import { leaseNamespaces } from '../../facts/leader-flags.ts';
import { heldLeases, leasesHeldBy } from '../../facts/leaders.ts';
import type { Lease } from '../../facts/objects/lease.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { resources, toRead } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { isRead, type Reading } from '../attempts.ts';
import { defineCollector, eachKey, type ReadOptions } from '../collector.ts';
import {
  type BackendFacts,
  brokenBackends,
  brokenFacts,
  certificatesToRead,
  isPartlyReady,
  podsOf,
  troubledNamespaces,
} from '../suspicion.ts';

type LeaderFacts = BackendFacts & Pick<Facts, 'namespaces' | 'pods' | 'leases'>;

/** The key for Leases in all other namespaces that are held by one of the Pods. */
const elsewhere = '*';

/** Namespaces of backends that may use leader election, and of the Leases that their arguments name. */
function near(facts: LeaderFacts, wishes: ReadOptions): readonly string[] {
  const troubled = new Set(troubledNamespaces(facts, wishes));
  return brokenBackends(facts, wishes)
    .filter((backend) => troubled.has(backend.namespace) || isPartlyReady(backend))
    .flatMap((backend) => [backend.namespace, ...podsOf(facts, backend).flatMap(leaseNamespaces)]);
}

/** Pods of backends that seem to use leader election but do not hold a Lease in their own namespace. */
function leaderless(facts: LeaderFacts, wishes: ReadOptions): readonly Pod[] {
  const known = [...facts.leases.all()].flat();
  return brokenBackends(facts, wishes)
    .filter((backend) => backend.failedProbe || isPartlyReady(backend))
    .map((backend) => podsOf(facts, backend))
    .filter((some) => some.length > 1 && heldLeases(known, some).length === 0)
    .flat();
}

/** Excludes node heartbeats: kube-node-lease has one Lease per Node. */
const heartbeats = { fieldSelector: 'metadata.namespace!=kube-node-lease' };

export const leases = defineCollector({
  fact: 'leases',
  topics: ['failures', 'certificates'],
  needs: [...brokenFacts, 'pods'],
  grows: ['leases'],
  rights: [toRead(resources.Lease, ['list'], 'backends', 'the Pod that is the leader')],
  otherwise: 'Leases of a namespace that was not examined',
  wants(facts, wishes) {
    const nearby = near(facts, wishes);
    const isAsked = nearby.every((namespace) => facts.leases.why(namespace)?.why !== 'not-requested');
    const further = isAsked && leaderless(facts, wishes).length > 0 ? [elsewhere] : [];
    return [...nearby, ...certificatesToRead(facts, wishes).leasesIn, ...further];
  },
  async read(access, keys, facts, wishes) {
    const namespaces = keys.filter((key) => key !== elsewhere);
    if (namespaces.length === keys.length)
      return eachKey(namespaces, (namespace) => access.list<Lease>(resources.Lease, { namespace }));
    const found = new Map<string, Reading<readonly Lease[]>>();
    const everywhere = await access.list<Lease>(resources.Lease, { query: heartbeats, refusable: true });
    if (!isRead(everywhere)) return found;
    const held = leasesHeldBy(everywhere.value, leaderless(facts, wishes));
    for (const { metadata } of held) {
      const { namespace = '' } = metadata;
      found.set(namespace, { value: held.filter((lease) => (lease.metadata.namespace ?? '') === namespace) });
    }
    return found;
  },
});
