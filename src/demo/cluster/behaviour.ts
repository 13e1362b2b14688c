import type { Process } from '../network/pod-network.ts';

/** How one Pod fares once it exists: what a kubelet and the program in it would make of it. */
export type PodBehaviour =
  | { readonly is: 'ready'; readonly runs?: Process }
  /** Running; its readiness probe does not succeed. `says`: the kubelet's words. */
  | { readonly is: 'not-ready'; readonly says: string; readonly runs?: Process }
  /** Just started; not ready yet. */
  | { readonly is: 'starting' }
  /** Ends by itself, again and again. */
  | { readonly is: 'crashing'; readonly exitCode: number; readonly log: string }
  | { readonly is: 'out-of-memory' }
  /** An init container ends with an error, again and again. */
  | { readonly is: 'init-failing'; readonly exitCode: number; readonly log: string }
  | { readonly is: 'evicted'; readonly message: string }
  /** Did its work and ended, as the Pods of Jobs do. */
  | { readonly is: 'completed' }
  /** Being deleted in good order, still answering. */
  | { readonly is: 'leaving' }
  /** Deleted long ago. A finalizer keeps it, after its containers have ended; without one, a node that nobody hears of. */
  | { readonly is: 'stuck-terminating'; readonly finalizer?: string };

export const ready: PodBehaviour = { is: 'ready' };
/** Ready, as far as the kubelet can tell. */
export const running = (runs: Process): PodBehaviour => ({ is: 'ready', runs });
export const starting: PodBehaviour = { is: 'starting' };
export const leaving: PodBehaviour = { is: 'leaving' };
export const outOfMemory: PodBehaviour = { is: 'out-of-memory' };
export const notReady = (says: string, runs: Process = {}): PodBehaviour => ({ is: 'not-ready', says, runs });
export const crashing = (exitCode: number, log: string): PodBehaviour => ({ is: 'crashing', exitCode, log });
export const initFailing = (exitCode: number, log: string): PodBehaviour => ({
  is: 'init-failing',
  exitCode,
  log,
});
export const evicted = (message: string): PodBehaviour => ({ is: 'evicted', message });
export const stuckTerminating = (finalizer?: string): PodBehaviour => ({
  is: 'stuck-terminating',
  ...(finalizer === undefined ? {} : { finalizer }),
});
