import type { PathRequest } from '../apiserver/deadlock/admission-path.ts';
import type { Serving } from '../apiserver/deadlock/serving.ts';
import type { Backend } from '../apiserver/routing/backends.ts';
import type { Evidence } from '../facts/evidence.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { World } from '../facts/snapshot.ts';
import { refOfPod } from '../facts/workloads/workloads.ts';
import { type PodWithState, podsWithState } from './bad-replicas.ts';
import { podRefusalOf } from './pod-refusal.ts';

type Step = PathRequest['step'];

/** The progress of the Pods of a backend without endpoints, and what components report about it. */
export interface PodProgress {
  /** The steps that they may wait for; empty if another reason is known. */
  readonly waitsFor: readonly Step[];
  /** Messages of the API server, the scheduler or the kubelet. */
  readonly reported: readonly Evidence[];
  /** Pods exist that do not serve for another reason than a refused request. */
  readonly otherwiseBroken: boolean;
}

/** The API server's error for a request that waits longer than its own timeout, usually for webhooks. */
const timedOut = /Timeout: request did not complete within requested timeout/;

/** What a component reports about a Pod. A probe that fails while the Pod starts is no reason. */
const reportedText = ({ state }: PodWithState): string | undefined =>
  state.state === 'starting' ? undefined : state.text;

/** True if the Pod waits and no controller, scheduler or kubelet has reported why. */
const waitsWithoutReason = (one: PodWithState): boolean =>
  ['starting', 'not-ready', 'unschedulable'].includes(one.state.state) && reportedText(one) === undefined;

const isOtherwiseBroken = ({ state }: PodWithState): boolean =>
  !['starting', 'not-ready', 'ready', 'terminating', 'unschedulable'].includes(state.state);

/** True if a container runs: the kubelet had the token of the Pod, and its report of the container was admitted. */
const isRunning = ({ status }: Pod): boolean =>
  (status.containerStatuses ?? []).some(({ state }) => state?.running !== undefined);

function stepsOf(podStates: readonly PodWithState[]): readonly Step[] {
  if (!podStates.every((one) => waitsWithoutReason(one) || one.state.state === 'ready')) return [];
  if (podStates.every(({ pod }) => pod.spec.nodeName === undefined)) return ['binding', 'leader-election'];
  if (podStates.every(({ state }) => state.state === 'ready')) return ['endpoints', 'leader-election'];
  return podStates.some(({ pod, state }) => state.state === 'ready' || isRunning(pod))
    ? []
    : ['token', 'status'];
}

/** Throws NotKnown if a fact that decides it could not be read. */
export function progressOf(
  backend: Backend,
  { ref, workload, wanted }: Serving,
  facts: World<'pods' | 'events' | 'nodes' | 'secrets'>,
): PodProgress {
  const podStates = podsWithState(backend, facts);
  const refusal = workload === undefined ? undefined : podRefusalOf(workload, facts);
  const texts = podStates.flatMap((one) => {
    const value = reportedText(one);
    return value === undefined ? [] : [{ object: refOfPod(one.pod), field: 'status', value }];
  });
  const reported = [
    ...(refusal === undefined ? [] : [{ object: ref, field: refusal.field, value: refusal.text }]),
    ...texts,
  ];
  const otherwiseBroken = podStates.some(isOtherwiseBroken);
  if (podStates.length > 0) return { waitsFor: stepsOf(podStates), reported, otherwiseBroken };
  const isWanted = wanted !== undefined && wanted > 0;
  return {
    waitsFor:
      isWanted && (refusal === undefined || timedOut.test(refusal.text)) ? ['pod', 'leader-election'] : [],
    reported,
    otherwiseBroken,
  };
}
