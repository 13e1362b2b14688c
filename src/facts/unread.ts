import { namedList } from '../phrases/lists.ts';
import { keyOf } from './object-ref.ts';

/** An RBAC rule that would allow a forbidden read. */
export interface AllowRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Non-resource URLs, as `/metrics`; groups and resources are then empty. */
  readonly nonResourceURLs?: readonly string[];
  /** Absent: cluster-wide. */
  readonly namespace?: string;
}

/** Why something is unknown. `not-requested`: it was not read, because the run did not need it. */
export type UnreadReason =
  | 'forbidden'
  | 'timeout'
  | 'unreachable'
  | 'server-error'
  | 'not-served'
  /** The response is not an object of its kind. */
  | 'malformed'
  /** It is above a limit of this program (basics/limits.ts). */
  | 'too-large'
  /** Manifests do not contain it; a cluster may. */
  | 'not-written'
  | 'not-requested';

/** A read of the API, with the names of RBAC. */
export interface ApiRead {
  /** Plural, with its subresource: `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Absent: all namespaces, or none because the resource is cluster-scoped. */
  readonly namespaces?: readonly string[];
  /** Absent for a list. */
  readonly name?: string;
  /** The selected objects of a list, as text: `Pending Pods`. */
  readonly selection?: string;
  /** A dry-run write. */
  readonly dryRun?: true;
}

/** Something that could not be read, or was not. It must not be treated as absent or healthy. */
export interface Unread {
  /** A read of the API; for anything else its name, only for messages: `a review`. */
  readonly what: ApiRead | string;
  readonly why: UnreadReason;
  /** The server's message, or that of this program, if there is one. */
  readonly detail?: string;
  /** The minimum RBAC rule that would allow the read; only for `forbidden`. */
  readonly allow?: AllowRule;
}

/**
 * An entry in a report; its reasons include a check that crashed, a webhook that is not called with an
 * object, and a name that matches nothing.
 */
export interface NotLookedAt extends Omit<Unread, 'why'> {
  readonly why: UnreadReason | 'internal error' | 'not called' | 'not found' | 'not rendered';
}

/**
 * Thrown by a lookup for a value that is unknown; the runner converts it to the outcome `unknown`. Not an
 * Error: a run throws thousands, and their stack traces are not used.
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

/** The result of `make`, or `otherwise` if a fact that it needs is not known. */
export function ifKnown<T>(make: () => T, otherwise: T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotKnown) return otherwise;
    throw error;
  }
}

/** True for a read of one of these resources (plural), in that namespace or in all. */
export const isReadOf = (
  { what }: Pick<Unread, 'what'>,
  resources: readonly string[],
  namespace?: string,
): boolean =>
  typeof what === 'object' &&
  resources.includes(what.resource) &&
  (namespace === undefined || what.namespaces?.includes(namespace) !== false);

const mostNamed = 3;

/** The resource of a read without its namespace: `secrets`; single objects with their name. */
export function apiReadText(what: ApiRead | string): string {
  if (typeof what === 'string') return what;
  const { resource, verb, namespaces: [namespace] = [], name, selection, dryRun } = what;
  if (name !== undefined) {
    const key = keyOf({ namespace, name });
    return resource === 'pods/log' ? `the log of Pod ${key}` : `${resource} ${key}`;
  }
  return selection ?? (dryRun ? `${verb} of ${resource} (dry run)` : resource);
}

/** Text for something that could not be read: `pods in namespace shop`. */
export function unreadText({ what }: Pick<Unread, 'what'>): string {
  const thing = apiReadText(what);
  if (typeof what === 'string' || what.name !== undefined) return thing;
  if (what.namespaces !== undefined)
    return `${thing} in ${namedList('namespace', what.namespaces, mostNamed)}`;
  return what.selection === undefined ? thing : `${thing} of all namespaces`;
}

/** The form in documents: the text, and the read itself if it is one. */
export const unreadDocument = <U extends Pick<Unread, 'what'>>(unread: U) => ({
  ...unread,
  what: unreadText(unread),
  ...(typeof unread.what === 'string' ? {} : { read: unread.what }),
});
