import { findCause } from '../sentences/call-error/find-cause.ts';
import type { FailedEndpoint } from './probed-endpoints.ts';

/** How a connection of the control plane fails although the process responds; undefined for others. */
export type Loss = 'dropped' | 'not-allowed' | 'tunnel' | 'other';

const silence = ['connect-timeout', 'deadline', 'canceled', 'handshake-timeout'];

/** How packets of the control plane are lost; undefined if the fault is another one than `unreachable`. */
export function lossOf({ callResult }: FailedEndpoint): Loss | undefined {
  if (callResult.fault !== 'unreachable') return undefined;
  const { kind, symptom } = findCause(callResult.detail) ?? {};
  if (kind === 'address-not-allowed') return 'not-allowed';
  // The tunnel is up; packets from its end to the Pod are lost.
  if (symptom === 'tunnel-timeout') return 'dropped';
  if (kind === 'tunnel') return 'tunnel';
  return callResult.detail === 'no response' || (kind !== undefined && silence.includes(kind))
    ? 'dropped'
    : 'other';
}
