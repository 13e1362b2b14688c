import { groupBy } from '../../basics/collections.ts';
import {
  identityPermissions,
  recordPermissions,
  touchPermissions,
  undoPermissions,
} from '../../change/change-permissions.ts';
import { electionPermissions } from '../../change/lease.ts';
import type { Touch } from '../../change/plan.ts';
import { catalogue as checks } from '../../checks/catalogue.ts';
import type { ReadOptions } from '../../collect/collector.ts';
import { permissionsToRead } from '../../collect/collectors/catalogue.ts';
import { firstCollectors } from '../../collect/collectors/first.ts';
import { admissionPermissions } from '../../collect/collectors/registration/webhook-configurations.ts';
import { callerReviewPermissions } from '../../collect/kube/caller-review.ts';
import { stuckObjectPermissions } from '../../collect/stuck-object.ts';
import { isAboutCertificates } from '../../diagnose/certificates/build-certificate-report.ts';
import { ofKey } from '../../facts/object-ref.ts';
import type { ProbeLevel } from '../../facts/probes.ts';
import { type Permission, resources } from '../../facts/resource.ts';
import type { FactName } from '../../facts/snapshot.ts';
import { remedyCatalogue } from '../../remedies/catalogue.ts';
import { remedyFacts } from '../attach-remedies.ts';
import { restorerGrants, restorerTouches } from '../change/restore-cronjob.ts';
import { CannotStart } from '../cluster/cannot-start.ts';

/** The options that decide which permissions a command needs. */
export interface PermissionOptions {
  readonly probe: ProbeLevel;
  /** Ids of remedies; empty for all. */
  readonly remedies: readonly string[];
  /** Permissions for dry runs with the webhooks of this cluster. */
  readonly restorer: boolean;
  /** Of the dry runs that this cluster's webhooks call for. */
  readonly dryRuns: readonly Permission[];
  /** Namespaces of the ServiceAccounts that get the roles. */
  readonly accounts?: readonly string[];
  /** Secrets that `serve` watches, as `namespace/name`. */
  readonly secrets?: readonly string[];
}

const configurations: readonly Touch[] = [
  { operation: 'patch', kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] },
];

const checkFacts: readonly FactName[] = checks.flatMap(({ requires }) => requires);

const { callouts, namespaces } = firstCollectors;

/** The most that a command may read. */
const readOptions = (
  topics: ReadOptions['topics'],
  probe: ReadOptions['probe'],
  metrics?: ReadOptions['metrics'],
): ReadOptions => ({
  chosen: [],
  examineAll: true,
  topics,
  probe,
  metrics,
});

const readPermissions =
  (facts: readonly FactName[], topics: ReadOptions['topics']) =>
  ({ probe: level, dryRuns }: PermissionOptions, replicasOnly = false): readonly Permission[] => [
    ...permissionsToRead(facts, readOptions(topics, level === 'none' ? undefined : { level, replicasOnly })),
    ...(level === 'review' && !replicasOnly ? dryRuns : []),
  ];

const readAndFixPermissions = readPermissions(
  [...checkFacts, ...remedyFacts],
  ['failures', 'certificates', 'deadlocks'],
);

/** Permissions to examine the webhooks that a log or pasted error names. */
const readFailuresPermissions = readPermissions(checkFacts, ['failures']);

const certificateFacts = checks.filter(isAboutCertificates).flatMap(({ requires }) => requires);

/** Throws {@link CannotStart} for unknown ids of remedies. */
function touchesOf({ remedies }: PermissionOptions): readonly Touch[] {
  const all = remedyCatalogue.map(({ meta }) => meta);
  const unknown = remedies.find((id) => !all.some((meta) => meta.id === id));
  if (unknown !== undefined) throw new CannotStart(`there is no remedy "${unknown}"`);
  return all.flatMap(({ id, touches }) => (remedies.length === 0 || remedies.includes(id) ? touches : []));
}

const failurePolicy = (question: PermissionOptions): readonly Permission[] => [
  ...readAndFixPermissions(question, true),
  ...identityPermissions,
  ...touchPermissions(configurations),
];

const takingBack = (question: PermissionOptions): readonly Permission[] => [
  ...identityPermissions,
  ...recordPermissions,
  ...undoPermissions([
    ...configurations,
    ...touchesOf(question),
    ...(question.restorer ? restorerTouches : []),
  ]),
];

const doctorPermissions = (question: PermissionOptions): readonly Permission[] => [
  ...readAndFixPermissions(question),
  ...stuckObjectPermissions,
  ...permissionsToRead(['metrics'], readOptions(['failures'], undefined, {})),
];

/** Adds the verb `watch` to permissions with `list`. */
export const withWatch = (permission: Permission): Permission =>
  permission.verbs.includes('list') ? { ...permission, verbs: [...permission.verbs, 'watch'] } : permission;

/** Watches of single Secrets: `watch` of all would allow as much as `list`. */
const secretWatches = (secrets: readonly string[]): readonly Permission[] =>
  [...groupBy(secrets.map(ofKey), ({ namespace }) => namespace)].map(([namespace, ofNamespace]) => ({
    group: resources.Secret.group,
    resource: resources.Secret.plural,
    verbs: ['watch'],
    names: ofNamespace.map(({ name }) => name),
    scope: { namespace },
    use: 'changes of serving certificates: only metadata is watched',
  }));

/** Probes connect to Pods directly: at no level do they need permissions in the API server. */
const servePermissions = ({
  probe,
  accounts = [],
  secrets = [],
}: PermissionOptions): readonly Permission[] => [
  ...secretWatches(secrets),
  ...permissionsToRead(
    [...checkFacts, ...remedyFacts, ...certificateFacts, 'metrics'],
    readOptions(
      ['failures', 'certificates', 'deadlocks'],
      probe === 'none' ? undefined : { level: 'connect', replicasOnly: true },
      {},
    ),
  ).map(withWatch),
  ...callerReviewPermissions,
  ...accounts.flatMap(electionPermissions),
];

/** The permissions of each command that connects to a cluster, from the declarations of its parts. */
export const commandPermissions: Readonly<
  Record<string, (question: PermissionOptions) => readonly Permission[]>
> = {
  doctor: doctorPermissions,
  // Its tools are doctor and commands that read a subset.
  mcp: doctorPermissions,
  serve: servePermissions,
  list: () => Object.values(firstCollectors).flatMap(({ permissions }) => permissions),
  trace: readAndFixPermissions,
  'what-if': readAndFixPermissions,
  // In a cluster it only reads objects.
  lint: (question) => readAndFixPermissions({ ...question, probe: 'none' }),
  wait: readAndFixPermissions,
  snapshot: readAndFixPermissions,
  'cert-check': ({ probe }) =>
    permissionsToRead(
      certificateFacts,
      readOptions(['certificates'], probe === 'none' ? undefined : { level: 'connect', replicasOnly: true }),
    ),
  fix: (question) => [
    ...readAndFixPermissions(question),
    ...identityPermissions,
    ...touchPermissions(touchesOf(question)),
  ],
  failopen: (question) => [
    ...failurePolicy({ ...question, probe: 'none' }),
    ...(question.restorer ? [...touchPermissions(restorerTouches), ...restorerGrants] : []),
  ],
  failclosed: failurePolicy,
  undo: takingBack,
  changes: (question) =>
    takingBack(question).map((permission) => ({
      ...permission,
      verbs: permission.verbs.filter((verb) => verb === 'get' || verb === 'list'),
    })),
  alerts: () => callouts.permissions,
  scan: readFailuresPermissions,
  explain: readFailuresPermissions,
  soak: ({ dryRuns }) => [
    ...admissionPermissions,
    ...namespaces.permissions,
    ...dryRuns.filter(({ verbs }) => verbs.includes('create') || verbs.includes('patch')),
  ],
  completion: () => [...callouts.permissions, ...namespaces.permissions],
};
