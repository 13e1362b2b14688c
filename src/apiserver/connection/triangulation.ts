import type { ConnectionFault } from './meeting.ts';

/**
 * What one way to a replica showed. `listens`: the connection stands, whatever came of it afterwards. `refused`: reset at
 * once. `silent`: no answer until the deadline, and nobody says at which stage. `turned-away`: another failure to
 * connect, told in words. `cut`: connected, then closed or reset before TLS stood. `untried`: nobody looked.
 */
export const replicaObservations = ['listens', 'cut', 'refused', 'silent', 'turned-away', 'untried'] as const;
export type ReplicaObservation = (typeof replicaObservations)[number];

/** What a combination of ways means. */
export interface SightReading {
  /** Through the kubelet, into the Pod's own loopback: the process. */
  readonly inside: readonly ReplicaObservation[];
  /** From the control plane to the Pod's address: the API server's proxy; else a connection from here. */
  readonly outside: readonly ReplicaObservation[];
  /**
   * `own`: the network is in order, and what the process itself says decides. `unknown`: this does not tell.
   */
  readonly means: ConnectionFault | 'own' | 'unknown';
  /** For people. */
  readonly because: string;
}

const any = replicaObservations;
const connects = ['listens', 'cut'] as const;

/** Which leg of the way is broken. The first row that fits counts; together they cover every combination. */
export const readings: readonly SightReading[] = [
  {
    inside: ['refused'],
    outside: ['listens'],
    means: 'own',
    because: 'The process listens on the Pod IP and not on localhost. Calls use the Pod IP only.',
  },
  {
    inside: ['listens'],
    outside: ['cut'],
    means: 'intercepted',
    because: 'The process responds; a sidecar in the Pod, or a device on the way, closes the connection.',
  },
  {
    inside: any,
    outside: connects,
    means: 'own',
    because: 'The control plane reaches the Pod: the network works, so the fault is in the process.',
  },
  {
    inside: connects,
    outside: ['refused'],
    means: 'loopback-only',
    because: 'Open on localhost, closed on the Pod IP: the process listens on localhost only.',
  },
  {
    inside: ['silent'],
    outside: ['refused'],
    means: 'loopback-only',
    because: 'Open on localhost, closed on the Pod IP: the process listens on localhost only.',
  },
  {
    inside: ['refused', 'turned-away', 'untried'],
    outside: ['refused'],
    means: 'refused',
    because: 'Refused on every path: nothing listens on the port.',
  },
  {
    inside: connects,
    outside: ['silent', 'turned-away'],
    means: 'unreachable',
    because:
      'The process responds, but packets from the control plane do not arrive: a NetworkPolicy, a firewall on the target port, a tunnel or an overlay network.',
  },
  {
    inside: ['silent'],
    outside: ['silent', 'untried', 'turned-away'],
    means: 'hangs',
    because: 'No connection gets a response, not even on localhost in the Pod: the process hangs.',
  },
  {
    inside: ['refused'],
    outside: ['silent', 'untried', 'turned-away'],
    means: 'refused',
    because: 'Nothing listens on the port inside the Pod.',
  },
  {
    inside: ['turned-away', 'untried'],
    outside: ['turned-away'],
    means: 'unreachable',
    because: 'The control plane does not reach the Pod. Unknown whether its process responds.',
  },
  {
    inside: connects,
    outside: ['untried'],
    means: 'own',
    because: 'The process responds. Unknown whether the control plane reaches it.',
  },
  {
    inside: any,
    outside: any,
    means: 'unknown',
    because: 'Unknown: no response can mean a hanging process, or packets that are lost on the way.',
  },
];

/** The row that a combination falls into. */
export function readingOf(inside: ReplicaObservation, outside: ReplicaObservation): SightReading {
  const found = readings.find((row) => row.inside.includes(inside) && row.outside.includes(outside));
  if (found === undefined) throw new Error(`no reading of ${inside} and ${outside}`);
  return found;
}
