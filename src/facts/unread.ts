/** One rule of RBAC, in RBAC's own words: what would allow a read that was refused. */
export interface AllowRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Paths that belong to no resource, as `/metrics`; the groups and resources are empty then. */
  readonly nonResourceURLs?: readonly string[];
  /** Absent: cluster-wide. */
  readonly namespace?: string;
}

/** Why something is not known. `not-requested`: nobody looked, because what was seen did not call for it. */
export type UnreadReason =
  | 'forbidden'
  | 'timeout'
  | 'unreachable'
  | 'server-error'
  | 'not-served'
  | 'malformed'
  | 'not-requested';

/** Something that could not be looked at, or was not. Never to be read as "absent" or "fine". */
export interface Unread {
  /** In words: `pods in namespace shop`. */
  readonly what: string;
  readonly why: UnreadReason;
  /** The server's own sentence, or ours, when there is more to say. */
  readonly detail?: string;
  /** The least right that would have let us look; only for `forbidden`. */
  readonly allow?: AllowRule;
}

/** Thrown by a lookup that is asked for what nobody could read; the runner turns it into the outcome `unknown`. */
export class NotKnown extends Error {
  readonly unread: Unread;
  constructor(unread: Unread) {
    super(`${unread.what}: ${unread.why}`);
    this.name = 'NotKnown';
    this.unread = unread;
  }
}
