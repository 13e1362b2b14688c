import type { ConnectionFault } from './meeting.ts';

/**
 * What one way to a replica showed. `listens`: the connection stands, whatever came of it afterwards. `refused`: reset at
 * once. `silent`: no answer until the deadline, and nobody says at which stage. `turned-away`: another failure to
 * connect, told in words. `cut`: connected, then closed or reset before TLS stood. `untried`: nobody looked.
 */
export const sights = ['listens', 'cut', 'refused', 'silent', 'turned-away', 'untried'] as const;
export type Sight = (typeof sights)[number];

/** What a combination of ways means. */
export interface SightReading {
  /** Through the kubelet, into the Pod's own loopback: the process. */
  readonly inside: readonly Sight[];
  /** From the control plane to the Pod's address: the API server's proxy; else a connection from here. */
  readonly outside: readonly Sight[];
  /**
   * `own`: the network is in order, and what the process itself says decides. `unknown`: this does not tell.
   */
  readonly means: ConnectionFault | 'own' | 'unknown';
  /** For people. */
  readonly because: string;
}

const any = sights;
const connects = ['listens', 'cut'] as const;

/** Which leg of the way is broken. The first row that fits counts; together they cover every combination. */
export const readings: readonly SightReading[] = [
  {
    inside: ['refused'],
    outside: ['listens'],
    means: 'own',
    because: "The process listens on the Pod's address and not on its loopback, which no call needs.",
  },
  {
    inside: ['listens'],
    outside: ['cut'],
    means: 'intercepted',
    because:
      'The process answers; something before it in the Pod (a sidecar) or on the way ends the connection.',
  },
  {
    inside: any,
    outside: connects,
    means: 'own',
    because: 'The control plane reaches the Pod: the network is in order, the process decides.',
  },
  {
    inside: connects,
    outside: ['refused'],
    means: 'loopback-only',
    because: "Open on the Pod's loopback, closed on its address: the process is bound to localhost.",
  },
  {
    inside: ['silent'],
    outside: ['refused'],
    means: 'loopback-only',
    because: "Open on the Pod's loopback, closed on its address: the process is bound to localhost.",
  },
  {
    inside: ['refused', 'turned-away', 'untried'],
    outside: ['refused'],
    means: 'refused',
    because: 'Closed wherever one knocks: nothing listens at the port.',
  },
  {
    inside: connects,
    outside: ['silent', 'turned-away'],
    means: 'unreachable',
    because:
      'The process answers, and what the control plane sends does not arrive: a NetworkPolicy, a firewall on the target port, a tunnel or an overlay network.',
  },
  {
    inside: ['silent'],
    outside: ['silent', 'untried', 'turned-away'],
    means: 'hangs',
    because: 'Nobody gets an answer, not even on the loopback of the Pod: the process hangs.',
  },
  {
    inside: ['refused'],
    outside: ['silent', 'untried', 'turned-away'],
    means: 'refused',
    because: 'Nothing listens at the port inside the Pod.',
  },
  {
    inside: ['turned-away', 'untried'],
    outside: ['turned-away'],
    means: 'unreachable',
    because: 'The control plane does not reach the Pod. Whether its process answers, nobody could ask.',
  },
  {
    inside: connects,
    outside: ['untried'],
    means: 'own',
    because: 'The process answers. Whether the control plane reaches it, nobody could ask.',
  },
  {
    inside: any,
    outside: any,
    means: 'unknown',
    because: 'A silence alone does not tell a hanging process from packets that are lost on the way.',
  },
];

/** The row that a combination falls into. */
export function readingOf(inside: Sight, outside: Sight): SightReading {
  const found = readings.find((row) => row.inside.includes(inside) && row.outside.includes(outside));
  if (found === undefined) throw new Error(`no reading of ${inside} and ${outside}`);
  return found;
}
