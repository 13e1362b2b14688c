import type { Unread } from '../../facts/unread.ts';
import type { FaultLink } from '../connection/meeting.ts';

/** The link of the chain at which the call ends; the same words as the checks' links. */
export type CallLink = 'registration' | 'backend' | FaultLink;

/** What the API server's next call over a new connection comes to, as far as objects and probes tell. */
export interface NextCall {
  /**
   * `succeeds`: nothing that was looked at speaks against it, which is no promise. `fails-for-some`: it depends on the
   * replica met. `unknown`: not read, or it depends on the routing mode, the network or a DNS that nothing shows.
   */
  readonly fate: 'succeeds' | 'fails' | 'fails-for-some' | 'unknown';
  /** The API server's own words, where they are certain; without `Internal error occurred: `. */
  readonly sentence?: string;
  /** Every sentence it may say: one per routing mode while the mode is not known, or per replica. */
  readonly sentences: readonly string[];
  readonly link?: CallLink;
  /** Probes saw it, at every replica that such a call can meet; else it is concluded from objects. */
  readonly observed?: true;
  /** What would have to be read to tell. */
  readonly unread?: Unread;
}

/** Something on its way was to be looked at and could not be: the call may end there, in words that nobody foresees. */
export const couldNotBeRead = ({ unread }: { readonly unread?: Unread | undefined }): boolean =>
  unread !== undefined && unread.why !== 'not-requested';

export const succeeds: NextCall = { fate: 'succeeds', sentences: [] };
export const asObserved = (call: NextCall): NextCall => ({ ...call, observed: true });
export const unknown: NextCall = { fate: 'unknown', sentences: [] };
/** As unknown, but something speaks for a failure: a call that passes over a kept connection does not settle it. */
export const doubtful: NextCall = { fate: 'unknown', sentences: [] };

/** The server refuses a caller without credentials, and nobody saw whether the API server has them. */
export const rejectsAnonymous: NextCall = { fate: 'unknown', sentences: [] };

/** @param complete false: it may also say something that is not among these sentences. */
export function failing(
  fate: 'fails' | 'fails-for-some',
  link: CallLink,
  sentences: readonly string[],
  complete = true,
): NextCall {
  const distinct = [...new Set(sentences)];
  const [only, another] = distinct;
  const certain = complete && only !== undefined && another === undefined;
  return { fate, link, sentences: distinct, ...(certain ? { sentence: only } : {}) };
}
