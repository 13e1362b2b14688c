import { named } from '../phrases/lists.ts';
import { keyOf } from './object-ref.ts';

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

/** The reason that something is unknown. `not-requested`: it was not read, because the run did not need it. */
export type UnreadReason =
  | 'forbidden'
  | 'timeout'
  | 'unreachable'
  | 'server-error'
  | 'not-served'
  /** It is no object of its kind. */
  | 'malformed'
  /** More came than is taken (facts/limits.ts). */
  | 'too-large'
  /** Manifests do not contain it; a cluster may. */
  | 'not-written'
  | 'not-requested';

/** A read of the API, as RBAC names it. */
export interface ApiRead {
  /** Plural, with its subresource: `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Absent: all of them, or none because the resource is cluster-scoped. */
  readonly namespaces?: readonly string[];
  /** Absent: a list. */
  readonly name?: string;
  /** Which objects of a list, in words: `Pending Pods`. */
  readonly selection?: string;
  /** A write that nothing comes of. */
  readonly dryRun?: true;
}

/** Something that could not be looked at, or was not. Never to be read as "absent" or "fine". */
export interface Unread {
  /** A read of the API; of anything else its name, which nothing goes by: `a review`. */
  readonly what: ApiRead | string;
  readonly why: UnreadReason;
  /** The server's own sentence, or ours, when there is more to say. */
  readonly detail?: string;
  /** The least right that would have let us look; only for `forbidden`. */
  readonly allow?: AllowRule;
}

/** The same in a report: also a check that crashed, a webhook that is not called with an object, a name that fits nothing. */
export interface NotLookedAt extends Omit<Unread, 'why'> {
  readonly why: UnreadReason | 'internal error' | 'not called' | 'not found' | 'not rendered';
}

/**
 * Thrown by a lookup that is asked for what nobody could read; the runner turns it into the outcome `unknown`. Not an
 * Error: a run throws thousands, and nobody reads their stacks.
 */
export class NotKnown {
  readonly unread: Unread;
  constructor(unread: Unread) {
    this.unread = unread;
  }
  toString(): string {
    return `${unreadText(this.unread)}: ${this.unread.why}`;
  }
}

/** Whether it is a read of one of these resources (plural), there or everywhere. */
export const isReadOf = (
  { what }: Pick<Unread, 'what'>,
  resources: readonly string[],
  namespace?: string,
): boolean =>
  typeof what === 'object' &&
  resources.includes(what.resource) &&
  (namespace === undefined || what.namespaces?.includes(namespace) !== false);

const mostNamed = 3;

/** What was to be read, without the place: `secrets`; of single objects with their name. */
export function thingText(what: ApiRead | string): string {
  if (typeof what === 'string') return what;
  const { resource, verb, namespaces: [namespace] = [], name, selection, dryRun } = what;
  if (name !== undefined) {
    const key = keyOf({ namespace, name });
    return resource === 'pods/log' ? `the log of Pod ${key}` : `${resource} ${key}`;
  }
  return selection ?? (dryRun ? `${verb} of ${resource} (dry run)` : resource);
}

/** What could not be looked at, in words: `pods in namespace shop`. */
export function unreadText({ what }: Pick<Unread, 'what'>): string {
  const thing = thingText(what);
  if (typeof what === 'string' || what.name !== undefined) return thing;
  if (what.namespaces !== undefined) return `${thing} in ${named('namespace', what.namespaces, mostNamed)}`;
  return what.selection === undefined ? thing : `${thing} of all namespaces`;
}

/** The same for documents: words first, and the read itself where it is one. */
export const unreadDocument = <U extends Pick<Unread, 'what'>>(unread: U) => ({
  ...unread,
  what: unreadText(unread),
  ...(typeof unread.what === 'string' ? {} : { read: unread.what }),
});
