import type { Unread } from '../../facts/unread.ts';
import type { FaultLink } from '../connection/call-result.ts';

/** The link of the chain at which the call ends, named like the links of the checks. */
export type CallLink = 'registration' | 'backend' | FaultLink;

/** The predicted result of the API server's next call over a new connection. */
export interface NextCall {
  /**
   * `succeeds`: no object and no probe shows a failure. `fails-for-some`: it depends on the replica.
   * `unknown`: not read, or it depends on the routing mode, the network or DNS, which no API shows.
   */
  readonly outcome: 'succeeds' | 'fails' | 'fails-for-some' | 'unknown';
  /** The error message of the API server, if certain; without `Internal error occurred: `. */
  readonly sentence?: string;
  /** Every possible error message: one per routing mode if the mode is not known, or per replica. */
  readonly sentences: readonly string[];
  readonly link?: CallLink;
  /** Probes confirmed it, at every replica that such a call can reach; else it is inferred from objects. */
  readonly observed?: true;
  readonly unread?: Unread;
}

/** True if a requested read failed: the call may fail there, with an error that cannot be predicted. */
export const couldNotBeRead = ({ unread }: { readonly unread?: Unread | undefined }): boolean =>
  unread !== undefined && unread.why !== 'not-requested';

/** A call that succeeds; inferred from objects. */
export const succeeds: NextCall = { outcome: 'succeeds', sentences: [] };
/** The same prediction, confirmed by probes at every replica. */
export const asObserved = (call: NextCall): NextCall => ({ ...call, observed: true });
/** Unknown, without a sign of a failure. */
export const unknown: NextCall = { outcome: 'unknown', sentences: [] };
/** Unknown, with signs of a failure: a call that succeeds over a keep-alive connection does not change it. */
export const unknownWithSigns: NextCall = { outcome: 'unknown', sentences: [] };

/** Unknown: the server refuses a client without credentials, and no API shows if the API server has some. */
export const rejectsAnonymous: NextCall = { outcome: 'unknown', sentences: [] };

/** @param which `some`: other error messages are possible. */
export function failing(
  outcome: 'fails' | 'fails-for-some',
  link: CallLink,
  sentences: readonly string[],
  which: 'all' | 'some' = 'all',
): NextCall {
  const distinct = [...new Set(sentences)];
  const [only, another] = distinct;
  const certain = which === 'all' && only !== undefined && another === undefined;
  return { outcome, link, sentences: distinct, ...(certain ? { sentence: only } : {}) };
}
