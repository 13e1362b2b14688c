import type { ConnectionFault } from './call-result.ts';

/**
 * The state of one path to a replica. `listens`: connected. `refused`: connection refused. `silent`: timeout
 * at an unknown stage. `turned-away`: another error on connect. `cut`: connected, then closed or reset before
 * the TLS handshake ended. `untried`: not probed.
 */
export const replicaObservations = ['listens', 'cut', 'refused', 'silent', 'turned-away', 'untried'] as const;
export type ReplicaObservation = (typeof replicaObservations)[number];

/** The meaning of a combination of both paths. */
export interface PathReading {
  /** Port-forward through the kubelet to localhost of the Pod: shows the process. */
  readonly inside: readonly ReplicaObservation[];
  /** From the control plane to the Pod IP: the API server's proxy, else a direct connection. */
  readonly outside: readonly ReplicaObservation[];
  /** `own`: the network works, the process's response decides. `unknown`: the paths do not decide. */
  readonly means: ConnectionFault | 'own' | 'unknown';
  readonly because: string;
}

const any = replicaObservations;
const connects = ['listens', 'cut'] as const;

/** Finds the path that fails. The first matching row counts; together they match every combination. */
export const readings: readonly PathReading[] = [
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

/** The first matching row of {@link readings}, which match every combination. */
export function readingOf(inside: ReplicaObservation, outside: ReplicaObservation): PathReading {
  const found = readings.find((row) => row.inside.includes(inside) && row.outside.includes(outside));
  if (found === undefined) throw new Error(`no reading of ${inside} and ${outside}`);
  return found;
}
