import type { Process } from '../network/pod-network.ts';

/** The behaviour of a Pod after its creation, from which its status, events and logs follow. */
export type PodBehaviour =
  | { readonly is: 'ready'; readonly runs?: Process }
  /** Running; its readiness probe fails. `says`: the kubelet's message. */
  | { readonly is: 'not-ready'; readonly says: string; readonly runs?: Process }
  /** Just started; not ready yet. */
  | { readonly is: 'starting' }
  | { readonly is: 'crashing'; readonly exitCode: number; readonly log: string }
  | { readonly is: 'out-of-memory' }
  /** An init container exits with an error repeatedly. */
  | { readonly is: 'init-failing'; readonly exitCode: number; readonly log: string }
  | { readonly is: 'evicted'; readonly message: string }
  /** Completed, like the Pods of Jobs. */
  | { readonly is: 'completed' }
  /** Terminating, and still responding. */
  | { readonly is: 'leaving' }
  /**
   * Deleted long ago, and kept by a finalizer after its containers have exited; without one, its node is
   * unreachable.
   */
  | { readonly is: 'stuck-terminating'; readonly finalizer?: string };

/** A Pod that is Ready, with the default program. */
export const ready: PodBehaviour = { is: 'ready' };
/** A Pod that is Ready. */
export const running = (runs: Process): PodBehaviour => ({ is: 'ready', runs });
/** A Pod whose containers have started a few seconds ago and do not listen yet. */
export const starting: PodBehaviour = { is: 'starting' };
/** A terminating Pod that still serves requests. */
export const leaving: PodBehaviour = { is: 'leaving' };
/** A Pod in CrashLoopBackOff whose container was OOMKilled. */
export const outOfMemory: PodBehaviour = { is: 'out-of-memory' };
/** A running Pod whose readiness probe fails with the message `says`. */
export const notReady = (says: string, runs: Process = {}): PodBehaviour => ({ is: 'not-ready', says, runs });
/**
 * A Pod in CrashLoopBackOff.
 *
 * @param log the last lines of its previous container.
 */
export const crashing = (exitCode: number, log: string): PodBehaviour => ({ is: 'crashing', exitCode, log });
/**
 * A Pod whose first init container fails repeatedly.
 *
 * @param log the last lines of that container.
 */
export const initFailing = (exitCode: number, log: string): PodBehaviour => ({
  is: 'init-failing',
  exitCode,
  log,
});
/** A failed Pod that the kubelet has evicted. */
export const evicted = (message: string): PodBehaviour => ({ is: 'evicted', message });
/** A Pod stuck in Terminating by a finalizer; without one, because its node is unreachable. */
export const stuckTerminating = (finalizer?: string): PodBehaviour => ({
  is: 'stuck-terminating',
  ...(finalizer === undefined ? {} : { finalizer }),
});
