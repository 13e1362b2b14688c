import { keyOf, refOf } from '../../facts/object-ref.ts';
import { abandonedLease } from '../../facts/workloads/leaders.ts';
import { knownPods, replicaPods } from '../../facts/workloads/replicas.ts';
import { knownLeases } from '../../pods/leadership.ts';
import { fieldEdit } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';

export const releaseLease = defineRemedy({
  meta: {
    id: 'release-lease',
    title: 'Release the Lease of a deleted leader',
    risk: 'careful',
    does: 'Removes the name of the holder from the Lease, as a leader does when it exits in order. A replica acquires the Lease at its next attempt, within seconds. It is offered only if no Pod of the backend is the holder, and nothing has renewed the Lease for a minute.',
    leaves:
      'The reason for the long duration of the Lease: the next leader that is killed leaves it the same way.',
    answers: ['leader-lease-stale'],
    touches: [{ operation: 'patch', kinds: ['Lease'] }],
  },
  about: 'callout',
  requires: ['pods', 'leases'],
  plan({ callout }, facts) {
    const pods = replicaPods(knownPods(callout, facts));
    const lease = abandonedLease(knownLeases(callout, pods, facts), pods, facts.takenAt);
    if (lease === undefined) return undefined;
    const { holderIdentity } = lease.spec ?? {};
    return {
      summary: `Lease ${keyOf(lease.metadata)} is free: its holder ${holderIdentity} does not exist`,
      edits: [fieldEdit(refOf('Lease', lease.metadata), '/spec/holderIdentity', holderIdentity, '')],
      warnings: ['If the holder still runs where this report does not see it, two leaders act for a moment.'],
    };
  },
});
