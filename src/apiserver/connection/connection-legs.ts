import type {
  ConnectionFailure,
  ProbeConnection,
  ProxyResponse,
  ReplicaProbe,
  ReviewExchange,
} from '../../facts/probes.ts';
import type { CauseKind } from '../sentences/call-error/cause-kind.ts';
import { findCause } from '../sentences/call-error/find-cause.ts';
import type { ReplicaObservation } from './triangulation.ts';

const ofFailure: Readonly<Record<ConnectionFailure['kind'], ReplicaObservation>> = {
  refused: 'refused',
  'timed-out': 'silent',
  reset: 'cut',
  closed: 'cut',
  'plain-http': 'listens',
  'not-tls': 'listens',
  alert: 'listens',
  'foreign-key': 'listens',
  unresolved: 'turned-away',
  unreachable: 'turned-away',
  'malformed-http': 'listens',
  other: 'turned-away',
};

/** The state of the network path that one connection of a probe shows. */
function observationOfConnection({ way, handshake, failure }: ProbeConnection): ReplicaObservation {
  if (handshake !== undefined || failure === undefined) return 'listens';
  // For a port-forward the kubelet accepts the connection: the stage of the failure is not that of the Pod.
  if (failure.kind === 'timed-out' && failure.stage !== 'connect' && way === 'direct') return 'listens';
  return ofFailure[failure.kind];
}

const ofCause: Partial<Record<CauseKind, ReplicaObservation>> = {
  'connection-refused': 'refused',
  'connect-timeout': 'silent',
  deadline: 'silent',
  canceled: 'silent',
  'handshake-timeout': 'silent',
  'connection-closed': 'cut',
  'plain-http': 'listens',
  'not-tls': 'listens',
  'not-http': 'listens',
  'tls-alert': 'listens',
};

const aboutRequest = /^pods "[^"]*" not found$|^address not allowed$/;

/** The state of the path from the control plane to the Pod that the API server's proxy shows. */
function observationOfProxy({ reached, status, text }: ProxyResponse): ReplicaObservation {
  if (reached) return 'listens';
  // An error about the request, not about the path.
  if (aboutRequest.test(text)) return 'untried';
  if (text === '') return status === 0 || status === 504 ? 'silent' : 'untried';
  const kind = findCause(text)?.kind;
  return (kind && ofCause[kind]) ?? 'turned-away';
}

const hasNoResponse = ({ failure }: ReviewExchange): boolean => failure?.kind === 'timed-out';

/** The state of the two paths to one replica. */
export interface ConnectionLegs {
  readonly inside: ReplicaObservation;
  readonly outside: ReplicaObservation;
}

/**
 * Combines the probes of a replica. A direct connection replaces the other probes if they are missing. For
 * the proxy: a Pod IP that refuses or accepts our connection does so for all clients; a timeout shows
 * nothing, as Pod networks are seldom routed to this computer. For a port-forward: a connection that is
 * accepted shows that the process listens. If our connection is accepted and that of the control plane is
 * refused, a device on the path refuses it.
 */
export function connectionLegsOf({ dialogues, proxy }: ReplicaProbe): ConnectionLegs {
  const observationBy = (way: ProbeConnection['way']): ReplicaObservation => {
    const connection = dialogues.find((one) => one.way === way);
    return connection === undefined ? 'untried' : observationOfConnection(connection);
  };
  const [inside, direct] = [observationBy('port-forward'), observationBy('direct')];
  const open = direct === 'listens' || direct === 'cut';
  // A process that completes the handshake and does not respond also causes a timeout of the proxy.
  const silent = dialogues.some(
    ({ handshake, reviews }) => handshake !== undefined && reviews.some(hasNoResponse),
  );
  const legs = { inside: inside === 'untried' && open ? direct : inside };
  const byProxy = proxy && observationOfProxy(proxy);
  if (
    byProxy === undefined ||
    byProxy === 'untried' ||
    (silent && proxy?.text === '' && byProxy === 'silent')
  )
    return { ...legs, outside: open || direct === 'refused' ? direct : 'untried' };
  return { ...legs, outside: byProxy === 'refused' && open ? 'turned-away' : byProxy };
}
