import type { FailedMeeting, Fault, Meeting } from '../apiserver/connection/meeting.ts';
import { observed, type ProbedEndpoint } from '../apiserver/connection/observe.ts';
import type { Callout } from '../facts/callout.ts';
import { holdersAmong } from '../facts/leaders.ts';
import { type Replica, replicasOf } from '../facts/replicas.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import { NotKnown } from '../facts/unread.ts';
import type { ReplicaReport } from './report.ts';

/** A fault as the state of a replica, where another word than its own is usual. */
const words: Partial<Record<Fault, string>> = {
  refused: 'not-listening',
  certificate: 'tls-rejected',
  alert: 'tls-refused',
  'path-not-found': 'http-error',
  redirects: 'http-error',
  unauthorized: 'http-error',
  'server-error': 'http-error',
};

const stateOf = ({ fault }: FailedMeeting): string => words[fault] ?? fault;

const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

function seen(meeting: Meeting): Partial<ReplicaReport> {
  switch (meeting.outcome) {
    case 'fails':
      return { state: stateOf(meeting), error: meeting.said };
    case 'undecided':
      return {};
    default: {
      const denial = meeting.answer?.outcome === 'denied' ? meeting.answer.message : undefined;
      return {
        latencyMs: rounded(meeting.milliseconds),
        ...(denial === undefined ? {} : { state: 'denies', error: denial }),
      };
    }
  }
}

/** What the kubelet and the scheduler say of a Pod that does not run goes before what a connection to it comes to. */
const isUp = ({ state }: Replica): boolean => ['ready', 'not-ready', 'starting'].includes(state);

function metBy(callout: Callout, { facts }: Snapshot): readonly ProbedEndpoint[] {
  try {
    return observed(callout, facts);
  } catch (error) {
    if (error instanceof NotKnown) return [];
    throw error;
  }
}

/** The replicas behind a callout, with what probes saw of each. */
export function replicaReports(callout: Callout, snapshot: Snapshot): readonly ReplicaReport[] {
  const { facts } = snapshot;
  const met = metBy(callout, snapshot);
  const leaders = holdersAmong(callout, facts);
  return replicasOf(callout, facts).map((replica): ReplicaReport => {
    const one = met.find(({ probe, pod }) =>
      probe?.endpoint === undefined ? pod === replica.pod : probe.endpoint === replica.endpoint,
    );
    const told = one === undefined ? {} : seen(one.meeting);
    const { state, ...rest } = told;
    const leader =
      leaders === undefined || replica.pod === undefined ? {} : { leader: leaders.has(replica.pod) };
    return { ...replica, ...(state === undefined || !isUp(replica) ? {} : { state }), ...leader, ...rest };
  });
}
