import { rfc3339 } from '../../basics/time.ts';
import type { ChangeTools } from '../../change/apply.ts';
import { objectPath } from '../../change/kinds.ts';
import type { Edit, KubeObject, Touch } from '../../change/plan.ts';
import { ReadError } from '../../collect/cluster.ts';
import { type AdmissionCallout, configuringResource } from '../../facts/callout.ts';
import { recordKey } from '../../facts/change-record.ts';
import { refOf } from '../../facts/object-ref.ts';
import type { Permission } from '../../facts/resource.ts';
import type { ResultLine } from './carry-out.ts';

/** The objects that {@link restorerEdits} creates. */
export const restorerTouches: readonly Touch[] = [
  { operation: 'create', kinds: ['ClusterRole', 'ServiceAccount', 'ClusterRoleBinding', 'CronJob'] },
];

/** The permissions that the user grants to the CronJob, and so must have. */
export const restorerGrants: readonly Permission[] = [
  {
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterroles',
    verbs: ['delete'],
    scope: 'cluster',
    use: 'granted to the CronJob, which deletes itself',
  },
];

/** The CronJob that undoes a change at its deadline. */
export interface RestoreCronJob {
  readonly namespace: string;
  /** An image with kubectl as its entry point. */
  readonly image: string;
}

/** The image of kubectl that the Kubernetes project publishes, in the API server's own version. */
export const defaultImage = (version: string | undefined): string =>
  `registry.k8s.io/kubectl:${/^v\d+\.\d+\.\d+/.exec(version ?? '')?.[0] ?? 'v1.35.4'}`;

/** When the CronJob restores: the first full minute from the deadline on. */
export const restoredAt = (until: Date): Date => new Date(Math.ceil(until.getTime() / 60_000) * 60_000);

/** Minute, hour, day and month, in UTC. */
function schedule(until: Date): string {
  const at = restoredAt(until);
  return `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
}

/** The name of the CronJob and of all objects that belong to it. */
const restorerName = (id: string): string => `kubectl-webhook-restore-${id}`;

/** `metadata.managedFields[].manager` of the fields that the CronJob restores. */
export const restoringManager = 'kubectl-webhook-restore';

/** The JSON Patch of undo: it restores only values that are still as failopen left them. */
function restoring(id: string, callouts: readonly AdmissionCallout[]): string {
  return JSON.stringify([
    ...callouts.flatMap(({ index, webhook, failurePolicy }) => [
      { op: 'test', path: `/webhooks/${index}/name`, value: webhook },
      { op: 'test', path: `/webhooks/${index}/failurePolicy`, value: 'Ignore' },
      { op: 'replace', path: `/webhooks/${index}/failurePolicy`, value: failurePolicy },
    ]),
    { op: 'remove', path: `/metadata/annotations/${recordKey(id).replaceAll('/', '~1')}` },
  ]);
}

const container = (name: string, image: string, args: readonly string[]) => ({
  name,
  image,
  args,
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
});

const rbac = 'rbac.authorization.k8s.io';

const creation = (
  apiVersion: string,
  kind: string,
  metadata: { readonly name: string; readonly namespace?: string },
  rest: object = {},
): Edit => ({
  object: refOf(kind, metadata),
  operation: 'create',
  after: { apiVersion, kind, metadata, ...rest },
});

/** The permissions of the CronJob: to patch one configuration, and to delete the ClusterRole that grants them. */
const permissions = (name: string, { kind, configuration }: AdmissionCallout): Edit =>
  creation(
    `${rbac}/v1`,
    'ClusterRole',
    { name },
    {
      rules: [
        {
          apiGroups: ['admissionregistration.k8s.io'],
          resources: [configuringResource(kind)],
          resourceNames: [configuration],
          verbs: ['get', 'patch'],
        },
        { apiGroups: [rbac], resources: ['clusterroles'], resourceNames: [name], verbs: ['delete'] },
      ],
    },
  );

/** The Pod of the CronJob: restores the configuration, then deletes the ClusterRole that owns the CronJob. */
const restorerPod = (name: string, image: string, patchArguments: readonly string[]) => ({
  serviceAccountName: name,
  restartPolicy: 'OnFailure',
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65532,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  initContainers: [container('restore', image, patchArguments)],
  containers: [container('remove-itself', image, ['delete', 'clusterrole', name, '--wait=false'])],
});

/**
 * A CronJob that restores one configuration at the deadline and then deletes itself. The ClusterRole with its permissions
 * owns all other objects, so that they are deleted with it.
 */
export function restorerEdits(
  id: string,
  until: Date,
  callouts: readonly AdmissionCallout[],
  { namespace, image }: RestoreCronJob,
): readonly Edit[] {
  const [first] = callouts;
  if (first === undefined) return [];
  const name = restorerName(id);
  // The uid is filled in after the ClusterRole is created.
  const owner = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', name, uid: '' };
  const owned = { name, ownerReferences: [owner] };
  const namespaced = { ...owned, namespace };
  const patchArguments = [
    ...['patch', configuringResource(first.kind), first.configuration, '--type=json'],
    ...[`--field-manager=${restoringManager}`, `--patch=${restoring(id, callouts)}`],
  ];
  return [
    permissions(name, first),
    creation('v1', 'ServiceAccount', namespaced),
    creation(`${rbac}/v1`, 'ClusterRoleBinding', owned, {
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    }),
    creation('batch/v1', 'CronJob', namespaced, {
      spec: {
        schedule: schedule(until),
        timeZone: 'Etc/UTC',
        concurrencyPolicy: 'Forbid',
        jobTemplate: {
          spec: { backoffLimit: 10, template: { spec: restorerPod(name, image, patchArguments) } },
        },
      },
    }),
  ];
}

/** Verifies that the CronJob exists and was created before its minute: a later one waits for a year. */
export async function restorerInTime(
  { reader }: Pick<ChangeTools, 'reader'>,
  id: string,
  namespace: string,
  until: Date,
): Promise<ResultLine> {
  const object = { kind: 'CronJob', namespace, name: restorerName(id) };
  const named = `CronJob ${namespace}/${object.name}`;
  try {
    const created = (await reader.get<KubeObject>(objectPath(object)))?.metadata.creationTimestamp;
    if (created === undefined) return { good: false, says: `${named} does not exist, and restores nothing` };
    const at = restoredAt(until);
    return Date.parse(created) < at.getTime()
      ? { good: true, says: `${named} restores it at ${rfc3339(at)}` }
      : { good: false, says: `${named} was created too late for ${rfc3339(at)}: it restores nothing` };
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return { good: false, says: `${named} could not be read: ${error.message}` };
  }
}
