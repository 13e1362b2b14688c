import type {
  ConnectionFailure,
  Dialogue,
  ProxyResponse,
  ReplicaProbe,
  ReviewExchange,
} from '../../facts/probes.ts';
import type { CauseKind } from '../sentences/cause-kind.ts';
import { findCause } from '../sentences/find-cause.ts';
import type { ReplicaObservation } from './triangulation.ts';

const ofFailure: Readonly<Record<ConnectionFailure['kind'], ReplicaObservation>> = {
  refused: 'refused',
  'timed-out': 'silent',
  reset: 'cut',
  closed: 'cut',
  'plain-http': 'listens',
  'not-tls': 'listens',
  alert: 'listens',
  unresolved: 'turned-away',
  unreachable: 'turned-away',
  'malformed-http': 'listens',
  other: 'turned-away',
};

/** What one connection of our own showed of the way, as far as it led. */
function sightOfDialogue({ way, handshake, failure }: Dialogue): ReplicaObservation {
  if (handshake !== undefined || failure === undefined) return 'listens';
  // Through a port-forward the kubelet answers for the connection, so that its own stage says nothing.
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

const aboutRequest =
  /^(pods|services|endpoints) "[^"]*" not found$|^no endpoints available for |^no service port |^address not allowed$/;

/** What the API server's proxy says of the leg between the control plane and the Pod. */
function sightOfProxy({ reached, status, text }: ProxyResponse): ReplicaObservation {
  if (reached) return 'listens';
  // An answer about the request, not about the way.
  if (aboutRequest.test(text)) return 'untried';
  if (text === '') return status === 0 || status === 504 ? 'silent' : 'untried';
  const kind = findCause(text)?.kind;
  return (kind && ofCause[kind]) ?? 'turned-away';
}

const isMute = ({ failure }: ReviewExchange): boolean => failure?.kind === 'timed-out';

/** The two legs to one replica. */
export interface ConnectionLegs {
  readonly inside: ReplicaObservation;
  readonly outside: ReplicaObservation;
}

/**
 * A direct connection stands in for what else was not asked. For the control plane's proxy: what refuses or answers us at
 * the Pod's address does so for all; that we get no answer means nothing there, since Pod networks are seldom routed to
 * us. For a port-forward: who answers us, answers. An address that is open to us and refused to the control plane is
 * refused by somebody on the way.
 */
export function connectionLegsOf({ dialogues, proxy }: ReplicaProbe): ConnectionLegs {
  const seen = (way: Dialogue['way']): ReplicaObservation => {
    const dialogue = dialogues.find((one) => one.way === way);
    return dialogue === undefined ? 'untried' : sightOfDialogue(dialogue);
  };
  const [inside, direct] = [seen('port-forward'), seen('direct')];
  const open = direct === 'listens' || direct === 'cut';
  // Whoever shakes hands and answers no request is as silent to the proxy, which waits for an answer.
  const mute = dialogues.some(({ handshake, reviews }) => handshake !== undefined && reviews.some(isMute));
  const told =
    proxy === undefined || (mute && proxy.text === '' && sightOfProxy(proxy) === 'silent')
      ? 'untried'
      : sightOfProxy(proxy);
  return {
    inside: inside === 'untried' && open ? direct : inside,
    outside:
      told === 'untried'
        ? open || direct === 'refused'
          ? direct
          : 'untried'
        : told === 'refused' && open
          ? 'turned-away'
          : told,
  };
}
