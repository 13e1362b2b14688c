import { defined, groupBy, unique } from '../../basics/collections.ts';
import { readFirst } from '../../collect/planner.ts';
import { dryRunPermissions } from '../../collect/probes/api-server/dry-run.ts';
import type { Permission, Verb } from '../../facts/resource.ts';
import { unreadText } from '../../facts/unread.ts';
import type { RbacManifests, RbacObject, RoleRule, Subject } from '../../render/rbac/rbac-object.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { type ClusterOptions, deadlineOf, onCluster } from '../cluster/with-cluster.ts';
import { factsOf, readManifests, withManifests } from '../input/manifests.ts';
import { commandPermissions, type PermissionOptions, withWatch } from './command-permissions.ts';

const group = 'rbac.authorization.k8s.io';

interface Need extends Pick<Permission, 'group' | 'resource' | 'names'> {
  readonly verbs: readonly Verb[];
  readonly uses: readonly string[];
}

const order: readonly Verb[] = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

function needsOf(permissions: readonly Permission[]): readonly Need[] {
  const keyOf = ({ group, resource, names = [] }: Permission): string =>
    JSON.stringify([group, resource, names]);
  return [...groupBy(permissions, keyOf).values()].flatMap((alike) => {
    const verbs = order.filter((verb) => alike.some((permission) => permission.verbs.includes(verb)));
    return verbs.length === 0 ? [] : [{ ...alike[0], verbs, uses: unique(alike.map(({ use }) => use)) }];
  });
}

/** Non-resource URLs are separate rules, which only a ClusterRole can have. */
const isPath = ({ resource }: Pick<Need, 'resource'>): boolean => resource.startsWith('/');

/** Merges rules: resources of one group with the same verbs and uses become one rule. */
function rulesOf(permissions: readonly Permission[]): readonly RoleRule[] {
  const needs = needsOf(permissions);
  const keyOf = (need: Need): string =>
    JSON.stringify([need.group, isPath(need), need.names, need.verbs, need.uses]);
  return [...groupBy(needs, keyOf).values()].map((alike): RoleRule => {
    const [{ group, verbs, uses, names }] = alike;
    const resources = alike.map(({ resource }) => resource);
    if (isPath(alike[0])) return { nonResourceURLs: resources, verbs, uses };
    return { apiGroups: [group], resources, ...defined({ resourceNames: names }), verbs, uses };
  });
}

/** The permissions without those that the ClusterRole grants. */
const beyond = (
  permissions: readonly Permission[],
  everywhere: readonly Permission[],
): readonly Permission[] =>
  permissions.map((permission) => ({
    ...permission,
    verbs: permission.verbs.filter(
      (verb) =>
        !everywhere.some(
          (other) =>
            other.group === permission.group &&
            other.resource === permission.resource &&
            other.verbs.includes(verb),
        ),
    ),
  }));

/** A role with these permissions and its binding: a Role if it has a namespace, else a ClusterRole. */
function role(
  metadata: { readonly name: string; readonly namespace?: string },
  permissions: readonly Permission[],
  subjects: readonly Subject[],
): readonly RbacObject[] {
  const rules = rulesOf(permissions);
  if (rules.length === 0) return [];
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  const { name } = metadata;
  const apiVersion = `${group}/v1`;
  const binding = {
    apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: group, kind, name },
    subjects,
  };
  return [{ apiVersion, kind, metadata, rules }, ...(subjects.length === 0 ? [] : [binding])];
}

/**
 * Roles with exactly these permissions, and their bindings if there are subjects.
 *
 * @param namespaces of backends: permissions for backends are then granted in Roles there, and not cluster-wide.
 */
export function rolesFor(
  name: string,
  permissions: readonly Permission[],
  namespaces: readonly string[],
  subjects: readonly Subject[],
): readonly RbacObject[] {
  const narrow = namespaces.length > 0;
  const everywhere = permissions.filter(
    ({ scope }) => scope === 'cluster' || (scope === 'backends' && !narrow),
  );
  const inBackends = narrow ? permissions.filter(({ scope }) => scope === 'backends') : [];
  const named = (namespace: string): readonly Permission[] =>
    permissions.filter(({ scope }) => typeof scope === 'object' && scope.namespace === namespace);
  const places = unique([
    ...namespaces,
    ...permissions.flatMap(({ scope }) => (typeof scope === 'object' ? [scope.namespace] : [])),
  ]);
  return [
    ...role({ name }, everywhere, subjects),
    ...places.flatMap((namespace) => {
      const here = [...(namespaces.includes(namespace) ? inBackends : []), ...named(namespace)];
      return role({ name, namespace }, beyond(here, everywhere), subjects);
    }),
  ];
}

/** Commands that connect to a cluster. */
export const commandsWithPermissions: readonly string[] = Object.keys(commandPermissions);

const dryRun: Permission = { group: '', resource: 'pods', verbs: ['create'], scope: 'cluster', use: '' };

const sendsDryRuns = (command: string): boolean =>
  commandPermissions[command]?.({
    probe: 'review',
    remedies: [],
    restorer: false,
    dryRuns: [dryRun],
  }).includes(dryRun) === true;

const without =
  'Dry runs depend on the webhooks of the cluster; --probe connect has none and needs no cluster.';

/**
 * The permissions for dry runs with this cluster's webhooks, and with those of `manifests` (files and
 * directories) after they are applied. Throws CannotStart if they cannot be read.
 */
export const clusterDryRunPermissions = (
  options: ClusterOptions,
  manifests: readonly string[] = [],
): Promise<readonly Permission[]> =>
  readDryRunPermissions(options, manifests).catch((error: unknown) => {
    throw error instanceof CannotStart && manifests.length === 0
      ? new CannotStart(error.message, without)
      : error;
  });

async function readDryRunPermissions(
  options: ClusterOptions,
  paths: readonly string[],
): Promise<readonly Permission[]> {
  const { deadline, until, rest } = deadlineOf(options);
  const end = { deadline, until };
  const { wellFormed = [] } = paths.length === 0 ? {} : await readManifests(paths, end);
  return onCluster({ ...options, ...rest() }, async (reader) => {
    const { facts, failed } = await readFirst(reader, ['version', 'callouts', 'namespaces', 'served']);
    const [unread] = failed;
    if (unread !== undefined) {
      throw new CannotStart(
        `the dry runs are unknown: ${unreadText(unread)} could not be read (${unread.detail ?? unread.why})`,
      );
    }
    if (wellFormed.length === 0) return dryRunPermissions(facts);
    const { facts: written } = await factsOf(wellFormed, reader.namespace, new Date(), end);
    // Dry runs depend on nothing else in the cluster.
    return dryRunPermissions(withManifests({ ...written, ...facts }, wellFormed, written));
  });
}

interface RolesOptions extends PermissionOptions {
  readonly commands: readonly string[];
  /** Namespaces of backends; empty: any. */
  readonly namespaces: readonly string[];
  readonly subjects: readonly Subject[];
  /** Adds permissions for `--watch`, for commands with that flag. */
  readonly watch: boolean;
}

/** Commands whose --watch watches every list that they read. */
const watching: readonly string[] = ['doctor', 'list'];

const everybody =
  'Discovery, /version, selfsubjectreviews and selfsubjectaccessreviews are not listed: Kubernetes grants them to every authenticated user.';

const impersonation =
  'trace --as is not included: a user who may impersonate another user has all permissions of that user. docs/trace.md names the verbs, with the narrower ones of Kubernetes 1.36.';

function notesOn(
  { namespaces, commands, probe, dryRuns }: RolesOptions,
  anyDryRuns: boolean,
): readonly string[] {
  const wide =
    'Permissions for backends (Pods, Secrets, port-forward) are granted in every namespace; limit them with -n NAMESPACE, which may be repeated.';
  const narrow =
    'Permissions for backends are granted in the named namespaces only; other namespaces are reported as not read.';
  const real =
    'Dry runs need the same permissions as real requests; "--probe connect", here and in doctor, sends none.';
  return [
    `Minimal permissions for: ${commands.map((name) => `kubectl webhook ${name}`).join(', ')}.`,
    everybody,
    namespaces.length === 0 ? wide : narrow,
    ...(anyDryRuns && probe === 'review' && dryRuns.length > 0 ? [real] : []),
    ...(commands.includes('trace') ? [impersonation] : []),
  ];
}

/** Roles with the minimum permissions for each command, named after it. */
export function rbacManifests(request: RolesOptions): RbacManifests {
  const accounts = request.subjects.flatMap((who) => (who.kind === 'ServiceAccount' ? [who.namespace] : []));
  const objects = request.commands.flatMap((command) => {
    const permissions = commandPermissions[command]?.({ ...request, accounts }) ?? [];
    const used = request.watch && watching.includes(command) ? permissions.map(withWatch) : permissions;
    return rolesFor(`kubectl-webhook-${command}`, used, request.namespaces, request.subjects);
  });
  const looks = request.commands.some(sendsDryRuns);
  return { objects, notes: notesOn(request, looks) };
}

/** Whether a command sends dry runs, whose permissions depend on the cluster. */
export const needsCluster = ({ commands, probe }: Pick<RolesOptions, 'commands' | 'probe'>): boolean =>
  commands.includes('soak') || (probe === 'review' && commands.some(sendsDryRuns));
