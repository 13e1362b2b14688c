import type { CallError } from '../apiserver/sentences/call-error.ts';

/** One thing that a record tells about a call. */
export interface Sighting {
  /** Milliseconds since 1970; undefined where the record has no time. */
  readonly at: number | undefined;
  /** The last of several that one record stands for. */
  readonly until?: number;
  /** How many calls: events are folded. */
  readonly times: number;
  readonly error: CallError;
}
