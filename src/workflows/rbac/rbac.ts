import { readFirst } from '../../collect/planner.ts';
import { dryRunPermissions } from '../../collect/probes/dry-run.ts';
import type { Permission } from '../../facts/permission.ts';
import { unreadText } from '../../facts/unread.ts';
import type { RbacManifests, Subject } from '../../render/rbac/rbac-object.ts';
import { factsOf, readManifests, withManifests } from '../manifests.ts';
import { CannotStart, type ClusterOptions, endOf, withCluster } from '../with-cluster.ts';
import { commandPermissions, type PermissionsQuestion, withWatch } from './command-permissions.ts';
import { rolesFor } from './roles.ts';

/** Commands that connect to a cluster. */
export const commandsWithPermissions: readonly string[] = Object.keys(commandPermissions);

const dryRun: Permission = { group: '', resource: 'pods', verbs: ['create'], scope: 'cluster', use: '' };

/** Whether the dry runs of a command depend on the webhooks of the cluster. */
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
  const { deadline, until, rest } = endOf(options);
  const end = { deadline, until };
  const { wellFormed = [] } = paths.length === 0 ? {} : await readManifests(paths, end);
  return withCluster({ ...options, ...rest() }, async (reader) => {
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

interface RolesQuestion extends PermissionsQuestion {
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
  { namespaces, commands, probe, dryRuns }: RolesQuestion,
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
export function rbacManifests(request: RolesQuestion): RbacManifests {
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
export const needsCluster = ({ commands, probe }: Pick<RolesQuestion, 'commands' | 'probe'>): boolean =>
  commands.includes('soak') || (probe === 'review' && commands.some(sendsDryRuns));
