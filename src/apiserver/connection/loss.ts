import { findCause } from '../sentences/find-cause.ts';
import type { FailedEndpoint } from './probed.ts';

/** How the control plane fails to reach a replica whose process answers; undefined for any other failure. */
export type Loss = 'dropped' | 'not-allowed' | 'tunnel' | 'other';

const silence = ['connect-timeout', 'deadline', 'canceled', 'handshake-timeout'];

export function lossOf({ meeting }: FailedEndpoint): Loss | undefined {
  if (meeting.fault !== 'unreachable') return undefined;
  const { kind, symptom } = findCause(meeting.said) ?? {};
  if (kind === 'address-not-allowed') return 'not-allowed';
  // The tunnel is up: what its end sends to the Pod is lost.
  if (symptom === 'tunnel-timeout') return 'dropped';
  if (kind === 'tunnel') return 'tunnel';
  return meeting.said === 'no answer' || (kind !== undefined && silence.includes(kind)) ? 'dropped' : 'other';
}
