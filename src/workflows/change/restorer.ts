import type { ChangeTools } from '../../change/apply.ts';
import { objectPath } from '../../change/kinds.ts';
import type { KubeObject } from '../../change/kube-object.ts';
import type { Edit, Touch } from '../../change/plan.ts';
import { ReadError } from '../../collect/cluster-reader.ts';
import { type AdmissionCallout, calloutKinds } from '../../facts/callout.ts';
import { recordKey } from '../../facts/change-record.ts';
import type { Right } from '../../facts/right.ts';
import type { Judgement } from './carry-out.ts';

/** What {@link restorerEdits} makes. */
export const restorerTouches: readonly Touch[] = [
  { operation: 'create', kinds: ['ClusterRole', 'ServiceAccount', 'ClusterRoleBinding', 'CronJob'] },
];

/** Rights that are handed on: nobody may give what they do not have. */
export const restorerGrants: readonly Right[] = [
  {
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterroles',
    verbs: ['delete'],
    scope: 'cluster',
    use: 'granted to the CronJob, which deletes itself',
  },
];

/** The CronJob that takes a change back while nobody is there. */
export interface Restorer {
  /** Where its Pod runs. */
  readonly namespace: string;
  /** Holds kubectl as its entry point. */
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

/** The CronJob, and everything that belongs to it. */
const restorerName = (id: string): string => `kubectl-webhook-restore-${id}`;

/** `metadata.managedFields[].manager` of what the CronJob sets back. */
export const restoringManager = 'kubectl-webhook-restore';

/** What undo would send: only what is as failopen left it is set back. */
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

/**
 * A CronJob that sets one configuration back at the deadline and then removes itself: its only rights are to patch that
 * configuration, and to delete the ClusterRole that gives them. All the rest belongs to that ClusterRole and goes with it.
 */
export function restorerEdits(
  id: string,
  until: Date,
  callouts: readonly AdmissionCallout[],
  { namespace, image }: Restorer,
): readonly Edit[] {
  const [first] = callouts;
  if (first === undefined) return [];
  const name = restorerName(id);
  const rbac = 'rbac.authorization.k8s.io';
  // The uid is filled in as soon as the ClusterRole has one.
  const owner = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', name, uid: '' };
  const owned = { name, ownerReferences: [owner] };
  const here = { ...owned, namespace };
  const configurations = calloutKinds[first.kind].plural;
  const create = (
    apiVersion: string,
    kind: string,
    metadata: { readonly name: string; readonly namespace?: string },
    rest: object = {},
  ): Edit => ({
    object: { kind, name, ...(metadata.namespace === undefined ? {} : { namespace }) },
    operation: 'create',
    after: { apiVersion, kind, metadata, ...rest },
  });
  const patchArguments = [
    ...['patch', configurations, first.configuration, '--type=json'],
    ...[`--field-manager=${restoringManager}`, `--patch=${restoring(id, callouts)}`],
  ];
  const podSpec = {
    serviceAccountName: name,
    restartPolicy: 'OnFailure',
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    initContainers: [container('restore', image, patchArguments)],
    containers: [container('remove-itself', image, ['delete', 'clusterrole', name, '--wait=false'])],
  };
  return [
    create(
      `${rbac}/v1`,
      'ClusterRole',
      { name },
      {
        rules: [
          {
            apiGroups: ['admissionregistration.k8s.io'],
            resources: [configurations],
            resourceNames: [first.configuration],
            verbs: ['get', 'patch'],
          },
          { apiGroups: [rbac], resources: ['clusterroles'], resourceNames: [name], verbs: ['delete'] },
        ],
      },
    ),
    create('v1', 'ServiceAccount', here),
    create(`${rbac}/v1`, 'ClusterRoleBinding', owned, {
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    }),
    create('batch/v1', 'CronJob', here, {
      spec: {
        schedule: schedule(until),
        timeZone: 'Etc/UTC',
        concurrencyPolicy: 'Forbid',
        jobTemplate: { spec: { backoffLimit: 10, template: { spec: podSpec } } },
      },
    }),
  ];
}

/** Whether the CronJob is there, and came before its minute: one that is made later waits for a year. */
export async function restorerInTime(
  { reader }: Pick<ChangeTools, 'reader'>,
  id: string,
  namespace: string,
  until: Date,
): Promise<Judgement> {
  const object = { kind: 'CronJob', namespace, name: restorerName(id) };
  const named = `CronJob ${namespace}/${object.name}`;
  try {
    const made = (await reader.get<KubeObject>(objectPath(object)))?.metadata.creationTimestamp;
    if (made === undefined) return { good: false, says: `${named} is gone: it restores nothing` };
    const at = restoredAt(until);
    return Date.parse(made) < at.getTime()
      ? { good: true, says: `${named} restores it at ${at.toISOString()}` }
      : { good: false, says: `${named} was created too late for ${at.toISOString()}: it restores nothing` };
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return { good: false, says: `${named} could not be read: ${error.message}` };
  }
}
