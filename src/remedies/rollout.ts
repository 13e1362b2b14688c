import { fieldWriter } from '../facts/field-writer.ts';
import type { PodTemplate } from '../facts/objects/pod.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { conditionOf } from '../facts/pod-state.ts';
import { secondsSince } from '../facts/seconds.ts';
import { NotKnown } from '../facts/unread.ts';
import { controllerOf } from '../facts/workloads.ts';
import { counted } from '../phrases/numbers.ts';

/** The last rollout of a Deployment: the ReplicaSet that it leads to, and the one that is gone back to. */
export interface Rollout {
  readonly newest: Workload;
  readonly former: Workload;
  /** Of `former`, as `kubectl rollout history` counts. */
  readonly revision: number;
  /** Pod template of `former`, as the Deployment had it. */
  readonly template: PodTemplate;
}

const hashLabel = 'pod-template-hash';
const revisionKey = 'deployment.kubernetes.io/revision';
/** On a ReplicaSet that has come back: the revisions that it was before. */
const historyKey = 'deployment.kubernetes.io/revision-history';

const revisionOf = ({ metadata }: Workload): number => Number(metadata.annotations?.[revisionKey] ?? 0);

/** Seconds: a kubelet's own time to clean up after the grace period. */
const slack = 60;

const readyIn = ({ status }: Workload): number => status.readyReplicas ?? 0;

/** What the Deployment's controller added is taken away, as kubectl does (polymorphichelpers/rollback.go). */
export function templateOf({ spec: { template } }: Workload): PodTemplate {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** ReplicaSets of a Deployment, the newest revision first. Throws NotKnown where only Deployments were read. */
function revisions({ metadata }: Workload, workloads: readonly Workload[]): readonly Workload[] {
  const own = workloads.filter((one) => {
    const owner = one.kind === 'ReplicaSet' ? controllerOf(one.metadata) : undefined;
    return owner?.kind === 'Deployment' && owner.name === metadata.name;
  });
  // Its controller has made one before it counts a revision.
  if (own.length === 0 && metadata.annotations?.[revisionKey] !== undefined) {
    throw new NotKnown({ what: `ReplicaSets of namespace ${metadata.namespace}`, why: 'not-requested' });
  }
  return own.filter((one) => revisionOf(one) > 0).sort((a, b) => revisionOf(b) - revisionOf(a));
}

/**
 * The last rollout of a Deployment, and the revision to go back to: the newest one that still has ready Pods, else the
 * one before, as `kubectl rollout undo` chooses. Undefined where there is none.
 */
export function rolloutOf(deployment: Workload, workloads: readonly Workload[]): Rollout | undefined {
  const [newest, ...older] = revisions(deployment, workloads);
  const former = older.find((one) => readyIn(one) > 0) ?? older[0];
  if (newest === undefined || former === undefined) return undefined;
  return { newest, former, revision: revisionOf(former), template: templateOf(former) };
}

/** Somebody went back to the newest template: what was there before it is what they went away from. */
export const cameBack = ({ newest }: Rollout): boolean =>
  newest.metadata.annotations?.[historyKey] !== undefined;

/** Every replica of the newest template was available once (pkg/controller/deployment progress.go). */
export function wasComplete({ newest }: Rollout, { status }: Workload): boolean {
  const progress = conditionOf(status.conditions, 'Progressing');
  return (
    progress?.reason === 'NewReplicaSetAvailable' &&
    progress.message?.includes(`"${newest.metadata.name}"`) === true
  );
}

/**
 * When the newest template had been written, at the latest: Recreate ends the old Pods before it makes the new ReplicaSet.
 */
const beganBy = ({ newest }: Rollout, { metadata }: Workload): string | undefined =>
  [newest.metadata.creationTimestamp, fieldWriter(metadata, ['spec', 'template'])?.time]
    .filter((time) => time !== undefined)
    .sort()[0];

/** What tells whether the former template serves: a sentence for yes, `no`, or undefined where nothing does. */
export function evidenceFor(rollout: Rollout, deployment: Workload): string | 'no' | undefined {
  const { newest, former, revision, template } = rollout;
  const ready = readyIn(former);
  if (ready > 0) {
    return `Revision ${revision} serves: ReplicaSet ${former.metadata.name} still has ${counted(ready, 'ready Pod')}.`;
  }
  const available = conditionOf(deployment.status.conditions, 'Available');
  const since = available?.status === 'False' ? available.lastTransitionTime : undefined;
  const { creationTimestamp: made } = newest.metadata;
  if (since === undefined || made === undefined || cameBack(rollout)) return undefined;
  const began = beganBy(rollout, deployment) ?? made;
  if ((secondsSince(since, began) ?? 0) <= 0) {
    return wasComplete(rollout, deployment)
      ? undefined
      : `The Deployment was available with revision ${revision} when the last rollout started, and has not been available since ${since}.`;
  }
  const ending =
    deployment.spec.strategy?.type === 'Recreate'
      ? (template.spec.terminationGracePeriodSeconds ?? 30) + slack
      : 0;
  return (secondsSince(since, made) ?? 0) > ending ? 'no' : undefined;
}
