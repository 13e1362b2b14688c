import { keyOf, type ObjectRef } from './object-ref.ts';
import type { Pod } from './objects/pod.ts';

/** A request that the API server forbids to a ServiceAccount. */
export interface Forbidden {
  /** `namespace/name` of the ServiceAccount. */
  readonly account: string;
  readonly verb: string;
  /** With its group, if it has one: `deployments.apps`. */
  readonly resource: string;
  /** Undefined for the cluster scope. */
  readonly namespace: string | undefined;
  /** Of the object; absent if the request named none. A Role can permit some names only. */
  readonly name?: string;
}

/** `namespace/name` of the ServiceAccount of a Pod. */
export const accountOf = ({ metadata: { namespace }, spec }: Pod): string =>
  keyOf({ namespace, name: spec.serviceAccountName ?? 'default' });

/**
 * A log line of a container with an error of the API server that forbids a request of its ServiceAccount, or what a
 * SubjectAccessReview returned for a request that the program must make and does not log.
 */
export interface RbacDenial {
  readonly pod: ObjectRef;
  readonly container: string;
  /** Empty if the log does not report it. */
  readonly line: string;
  readonly forbidden: Forbidden;
  /** The API server confirmed in this run that it is still forbidden; absent if that is not known. */
  readonly confirmed?: true;
}

/** A line of a container's log about a webhook configuration that it writes and the API server does not have. */
export interface MissingConfiguration {
  readonly pod: ObjectRef;
  readonly container: string;
  readonly line: string;
  /** `MutatingWebhookConfiguration policy`. */
  readonly missing: string;
}

/** True for a missing permission. */
export const isDenial = (one: RbacDenial | MissingConfiguration): one is RbacDenial => 'forbidden' in one;

/**
 * The user of a ServiceAccount, and the place of its permissions.
 *
 * @param account `namespace/name`.
 */
const namesOfAccount = (account: string, namespace?: string) => ({
  user: `system:serviceaccount:${account.replace('/', ':')}`,
  account: account.replace('/', ':'),
  serviceaccount: account.split('/')[1],
  place: namespace ?? account.split('/')[0],
});

/** Objects that exist only as the request to create them: reviews and subresources such as `pods/eviction`. */
const onlyCreated = /reviews?\.|\//;

/**
 * The verbs that a client needs together with a forbidden one: an informer lists, then watches. A program that
 * creates an object reads it first, and may ignore an error of that.
 */
function verbsWith({ verb, resource }: Forbidden): string {
  if (resource === 'leases.coordination.k8s.io') return 'get,create,update';
  if (verb === 'create' && !onlyCreated.test(resource)) return 'get,create';
  return verb === 'list' || verb === 'watch' ? 'get,list,watch' : verb;
}

const sameGrant = (a: Forbidden, b: Forbidden): boolean =>
  a.account === b.account && a.verb === b.verb && a.namespace === b.namespace;

/** A program that cannot record Events still starts and becomes Ready. */
export const isOfEvents = ({ resource }: Forbidden): boolean => /^events(\.|$)/.test(resource);

/** The most resources that a step names. */
const mostNamed = 4;

/**
 * The resources of these requests, if they are more than a rule that a role lacks: three, or two for which
 * `kubectl create role` needs several commands. Without its binding, a program is denied everything.
 */
function lostWithBinding(requests: readonly Forbidden[]): string | undefined {
  const needed = requests.filter((one) => !isOfEvents(one));
  const resources = [...new Set(needed.map(({ resource }) => resource))];
  const rules = new Set(needed.map((one) => `${verbsWith(one)} ${one.namespace}`));
  const isMany = resources.length > 2 || (resources.length === 2 && rules.size > 1);
  return isMany ? resources.slice(0, mostNamed).join(',') : undefined;
}

/** Resources that any request makes sensitive. */
const alwaysSensitive =
  /^secrets$|\*|\.rbac\.authorization\.k8s\.io$|^serviceaccounts\/token$|^nodes\/proxy$|^pods\/(?:exec|attach|portforward|ephemeralcontainers)$|^certificatesigningrequests\/approval\b|^signers\b/;

/** Resources of which only some requests are sensitive: those that choose a ServiceAccount, a volume or a namespace's labels. */
const sensitiveRequests: readonly (readonly [resource: RegExp, verb: RegExp])[] = [
  [/^(?:validating|mutating)webhookconfigurations\b/, /^(?!get$|list$|watch$)/],
  [/^(?:pods|replicationcontrollers|persistentvolumes)$/, /^(?:create|update|patch)$/],
  [
    /^(?:(?:deployments|statefulsets|daemonsets|replicasets)\.apps|(?:cron)?jobs\.batch)$/,
    /^(?:create|update|patch)$/,
  ],
  [/^namespaces$/, /^(?:update|patch)$/],
];

/**
 * Permissions with which a program can get all others, or read keys and passwords
 * (/docs/concepts/security/rbac-good-practices/#privilege-escalation-risks).
 */
const isSensitive = ({ resource, verb }: Forbidden): boolean =>
  alwaysSensitive.test(resource) ||
  sensitiveRequests.some(([of, by]) => of.test(resource) && by.test(verb)) ||
  ['*', 'escalate', 'bind', 'impersonate'].includes(verb);

/**
 * The names for the commands that permit a request: with a Role in its namespace, or with a ClusterRole.
 *
 * @param others further forbidden requests: what the same rule can permit is permitted with it.
 */
export function namesForGrant(forbidden: Forbidden, others: readonly Forbidden[] = []) {
  const { account, namespace, resource } = forbidden;
  const granted = [forbidden, ...others.filter((one) => sameGrant(one, forbidden))];
  const sensitive = granted.find(isSensitive)?.resource;
  // A name of RBAC may contain a colon, but no slash.
  const role = `${account.replace('/', ':')}:${resource.split('.')[0]?.replace('/', '-')}`;
  const lost = lostWithBinding([forbidden, ...others.filter((one) => one.account === account)]);
  return {
    ...namesOfAccount(account, namespace),
    role: namespace === undefined ? undefined : role,
    clusterrole: namespace === undefined ? role : undefined,
    verbs: verbsWith(forbidden),
    resource: [...new Set(granted.map((one) => one.resource))].join(','),
    lost,
    sensitive: lost === undefined ? sensitive : undefined,
    permission: lost === undefined && sensitive === undefined ? resource : undefined,
  };
}
