import { isDeepStrictEqual } from 'node:util';
import { secondsSince } from '../../basics/time.ts';
import { fieldWriter } from '../../facts/objects/field-writer.ts';
import type { PodTemplate } from '../../facts/objects/pod.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import { NotKnown } from '../../facts/unread.ts';
import { conditionOf } from '../../facts/workloads/pod-state.ts';
import { controllerOf, revisionOf } from '../../facts/workloads/workloads.ts';
import { counted, listed } from '../../phrases/lists.ts';

/** The last rollout of a Deployment: its newest ReplicaSet, and the one to roll back to. */
export interface Rollout {
  readonly newest: Workload;
  readonly former: Workload;
  /** Revision of `former`, as in `kubectl rollout history`. */
  readonly revision: number;
  /** Pod template of `former`, without the controller's additions. */
  readonly template: PodTemplate;
}

const hashLabel = 'pod-template-hash';
/** Annotation of a ReplicaSet that was rolled back to: its earlier revisions. */
const historyKey = 'deployment.kubernetes.io/revision-history';

/** Seconds that a kubelet may need for cleanup after the grace period. */
const cleanupSeconds = 60;

const readyIn = ({ status }: Workload): number => status.readyReplicas ?? 0;

/** Removes the labels that the Deployment controller added, like kubectl (polymorphichelpers/rollback.go). */
export function templateOf({ spec: { template } }: Workload): PodTemplate {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** ReplicaSets of a Deployment, the newest revision first. Throws NotKnown if only Deployments were read. */
function revisions(deployment: Workload, workloads: readonly Workload[]): readonly Workload[] {
  const { metadata } = deployment;
  const own = workloads.filter((one) => {
    const owner = one.kind === 'ReplicaSet' ? controllerOf(one.metadata) : undefined;
    return owner?.kind === 'Deployment' && owner.name === metadata.name;
  });
  // The controller creates the ReplicaSet before it sets the revision. The first has none before it.
  if (own.length === 0 && revisionOf(deployment) > 1) {
    throw new NotKnown({ what: `ReplicaSets of namespace ${metadata.namespace}`, why: 'not-requested' });
  }
  return own.filter((one) => revisionOf(one) > 0).sort((a, b) => revisionOf(b) - revisionOf(a));
}

/**
 * The last rollout of a Deployment, with the revision to roll back to: the newest one that still has ready
 * Pods, otherwise the previous one, as `kubectl rollout undo` chooses. Undefined if there is none.
 */
export function rolloutOf(deployment: Workload, workloads: readonly Workload[]): Rollout | undefined {
  const [newest, ...older] = revisions(deployment, workloads);
  const former = older.find((one) => readyIn(one) > 0) ?? older[0];
  if (newest === undefined || former === undefined) return undefined;
  return { newest, former, revision: revisionOf(former), template: templateOf(former) };
}

type Fields = Readonly<Record<string, unknown>>;

const changedIn = (a: Fields, b: Fields): readonly string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !isDeepStrictEqual(a[name], b[name]));

/** The number of changed fields to name. */
const mostFields = 3;

/** The fields that differ in two Pod templates: `args and image of container webhook`, `volumes`. */
export function changedFields(before: PodTemplate, after: PodTemplate): string {
  const { containers: old, ...pod } = before.spec;
  const { containers, ...newPod } = after.spec;
  const names = [...new Set([...old, ...containers].map(({ name }) => name))];
  const ofContainers = names.flatMap((name) => {
    const [one, other] = [old, containers].map((all) => all.find((container) => container.name === name));
    if (one === undefined || other === undefined) return [`container ${name}`];
    const fields = changedIn(one as unknown as Fields, other as unknown as Fields);
    return fields.length === 0 ? [] : [`${listed(fields)} of container ${name}`];
  });
  const all = [...ofContainers, ...changedIn(pod as unknown as Fields, newPod as unknown as Fields)];
  return all.length === 0 ? 'metadata' : listed(all, { most: mostFields });
}

/** Whether the newest template is the result of a rollback: the previous one was replaced on purpose. */
export const isRollback = ({ newest }: Rollout): boolean =>
  newest.metadata.annotations?.[historyKey] !== undefined;

/** Whether every replica of the newest template was available once (pkg/controller/deployment/progress) */
export function wasComplete({ newest }: Rollout, { status }: Workload): boolean {
  const progress = conditionOf(status.conditions, 'Progressing');
  return (
    progress?.reason === 'NewReplicaSetAvailable' &&
    progress.message?.includes(`"${newest.metadata.name}"`) === true
  );
}

/**
 * The latest time at which the newest template was written: with strategy Recreate, old Pods are deleted
 * before the new ReplicaSet is created.
 */
const beganBy = ({ newest }: Rollout, { metadata }: Workload): string | undefined =>
  [newest.metadata.creationTimestamp, fieldWriter(metadata, ['spec', 'template'])?.time]
    .filter((time) => time !== undefined)
    .sort()[0];

/** Evidence about the former template: a sentence if it serves, `no` if not, undefined without evidence. */
export function evidenceFor(rollout: Rollout, deployment: Workload): string | 'no' | undefined {
  const { newest, former, revision, template } = rollout;
  const ready = readyIn(former);
  if (ready > 0) {
    return `Revision ${revision} serves: ReplicaSet ${former.metadata.name} still has ${counted(ready, 'ready Pod')}.`;
  }
  const available = conditionOf(deployment.status.conditions, 'Available');
  const since = available?.status === 'False' ? available.lastTransitionTime : undefined;
  const { creationTimestamp: made } = newest.metadata;
  if (since === undefined || made === undefined || isRollback(rollout)) return undefined;
  const began = beganBy(rollout, deployment) ?? made;
  if ((secondsSince(since, began) ?? 0) <= 0) {
    return wasComplete(rollout, deployment)
      ? undefined
      : `The Deployment was available with revision ${revision} when the last rollout started, and has not been available since ${since}.`;
  }
  const ending =
    deployment.spec.strategy?.type === 'Recreate'
      ? (template.spec.terminationGracePeriodSeconds ?? 30) + cleanupSeconds
      : 0;
  return (secondsSince(since, made) ?? 0) > ending ? 'no' : undefined;
}
