import { backendsInNeedOfPods, endpointFacts } from '../../apiserver/routing/backends.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import {
  labelsText,
  refOfWorkload,
  unprocessedSince,
  wantedPods,
  workloadArgument,
  workloadOfPod,
  workloadsMaking,
} from '../../facts/workloads/workloads.ts';
import { podRefusalOf } from '../../pods/pod-refusal.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

/** The label with the revision of a Pod's template, by a StatefulSet (apps/v1 ControllerRevisionHashLabelKey). */
const revisionLabel = 'controller-revision-hash';

/** True for a StatefulSet with a changed template. If the former one is restored, only its Pods still have the other revision. */
const isRevised = ({ metadata, status }: Workload, pods: readonly Pod[]): boolean =>
  status.currentRevision !== status.updateRevision ||
  pods.some((pod) => {
    const revision = pod.metadata.labels?.[revisionLabel];
    const { kind, name } = workloadOfPod(pod);
    return (
      kind === 'StatefulSet' &&
      name === metadata.name &&
      pod.metadata.deletionTimestamp === undefined &&
      revision !== undefined &&
      revision !== status.updateRevision
    );
  });

/** True if the controller has processed the template, has Pods, and none of them has that template. */
const isOutdated = (workload: Workload, pods: readonly Pod[]): boolean => {
  const { kind, metadata, status } = workload;
  return (
    (kind !== 'StatefulSet' || isRevised(workload, pods)) &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status.replicas ?? 0) + (status.currentNumberScheduled ?? 0) > 0 &&
    (status.updatedReplicas ?? 0) + (status.updatedNumberScheduled ?? 0) === 0
  );
};

interface Hold {
  readonly message: 'none' | 'outdated' | 'onDelete' | 'partition' | 'ordered';
  readonly field: string;
  readonly value: string;
}

/**
 * Why no Pod has the current template. A paused Deployment creates no ReplicaSet for it. A StatefulSet in order
 * replaces no Pod before all are Ready, also not the one that never will be (stateful_set_control.go).
 */
function holdOf(workload: Workload, pods: readonly Pod[]): Hold | undefined {
  const { kind, spec, status } = workload;
  const message = (status.replicas ?? 0) === 0 ? 'none' : 'outdated';
  if (kind === 'Deployment') {
    const isHeld = spec.paused === true && (message === 'none' || isOutdated(workload, pods));
    return isHeld ? { message, field: 'spec.paused', value: 'true' } : undefined;
  }
  if (kind === 'ReplicaSet' || !isOutdated(workload, pods)) return undefined;
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  const field = 'spec.updateStrategy';
  if (type === 'OnDelete') return { message: 'onDelete', field: `${field}.type`, value: type };
  if (kind === 'DaemonSet') return undefined;
  const partition = rollingUpdate?.partition ?? 0;
  if (partition >= wantedPods(workload)) {
    return { message: 'partition', field: `${field}.rollingUpdate.partition`, value: String(partition) };
  }
  return spec.podManagementPolicy === 'Parallel'
    ? undefined
    : { message: 'ordered', field: 'status.updatedReplicas', value: '0' };
}

export const rolloutPaused = defineCheck({
  meta: {
    id: 'rollout-paused',
    title: 'Rollout does not replace the Pods',
    consequence: 'failing',
    why: 'While `spec.paused` is true, a Deployment creates no Pods of a new Pod template, so a correction of the template does not reach its Pods. A StatefulSet or DaemonSet with `updateStrategy: OnDelete` replaces a Pod only when it is deleted. A StatefulSet waits until a Pod is Ready before it replaces it.',
    advice:
      'If the change of the Pod template is complete, resume the rollout: `kubectl -n {namespace} rollout resume {affected}`.',
    messages: {
      none: '{workload} is paused (spec.paused) and has not created a Pod yet',
      outdated: '{workload} is paused (spec.paused), and none of its Pods has the current Pod template',
      onDelete: {
        text: '{workload} replaces a Pod only when it is deleted (updateStrategy OnDelete), and none of its Pods has the current Pod template',
        advice:
          'If the change of the Pod template is complete, delete the Pods, one after another: `kubectl -n {namespace} delete pods -l {labels}`.',
      },
      partition: {
        text: 'The partition of {workload} (updateStrategy.rollingUpdate.partition) keeps all its Pods at the earlier Pod template',
        advice:
          '[end] If the change of the Pod template is complete, remove the partition: `kubectl -n {namespace} patch {affected} --type merge -p \'{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}\'`. [end] A Pod that is not Ready is not replaced before it is deleted: `kubectl -n {namespace} delete pods -l {labels}`.',
      },
      ordered: {
        text: '{workload} waits until its Pods are Ready before it replaces them, and none of them has the current Pod template',
        advice:
          '[end] If the change of the Pod template is complete, delete the Pods: `kubectl -n {namespace} delete pods -l {labels}`. [with] `podManagementPolicy: Parallel` would not wait.',
      },
    },
    preventsReadiness: true,
    follows: ['bootstrap-deadlock', 'deadlock-cycle'],
    references: ['/docs/concepts/workloads/controllers/deployment/#pausing-and-resuming-a-deployment'],
  },
  requires: [...endpointFacts, 'workloads', 'events', 'pods'],
  subjects: backendsInNeedOfPods,
  run({ namespace, key, service }, facts, find) {
    const pods = facts.pods.getIfKnown(key) ?? [];
    const makers = workloadsMaking(service.spec.selector, facts.workloads.get(namespace) ?? []);
    for (const workload of makers.filter((one) => wantedPods(one) > 0)) {
      const hold = holdOf(workload, pods);
      if (hold === undefined || unprocessedSince(workload, facts.takenAt) !== undefined) continue;
      if (podRefusalOf(workload, facts) !== undefined) continue;
      const { message, field, value } = hold;
      const affected = workloadArgument(refOfWorkload(workload));
      const labels = labelsText(workload.spec.template.metadata?.labels ?? {});
      return find(
        message,
        { workload: workloadText(workload) },
        [{ object: refOfWorkload(workload), field, value }],
        { affected, labels },
      );
    }
    return undefined;
  },
});
