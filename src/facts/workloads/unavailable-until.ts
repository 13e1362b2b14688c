import { secondsSince } from '../../basics/time.ts';
import type { Callout } from '../callout.ts';
import { keyOf } from '../object-ref.ts';
import type { World } from '../snapshot.ts';
import { conditionOf, isPodReady } from './pod-state.ts';
import { wantedPods, workloadsMaking } from './workloads.ts';

/** Seconds between the first ready Pod of a Deployment and its condition Available, if that waited for this Pod. */
const together = 60;

/**
 * RFC 3339: the end of the last time in which the Deployment behind a Service had no ready Pod; now, if it has none.
 * Undefined if no object shows such a time: a rollout whose old Pods serve until new ones are ready leaves the condition
 * Available as it is, and other workloads have no such condition.
 */
export function unavailableUntil(
  { client: { service: reference } }: Callout,
  { services, pods, workloads, takenAt }: World<'services' | 'pods' | 'workloads'>,
): string | undefined {
  if (reference === undefined) return undefined;
  const service = services.getIfKnown(keyOf(reference));
  const own = pods.getIfKnown(keyOf(reference));
  const makers = workloadsMaking(service?.spec.selector, workloads.getIfKnown(reference.namespace) ?? []);
  const [deployment, ...others] = makers;
  if (own === undefined || deployment === undefined || others.length > 0) return undefined;
  const [ready] = own
    .filter(isPodReady)
    .map(({ status }) => conditionOf(status.conditions, 'Ready')?.lastTransitionTime ?? '')
    .toSorted();
  const available = conditionOf(deployment.status.conditions, 'Available');
  const isAvailable = available?.status === 'True';
  if (ready === undefined)
    return isAvailable && own.length === 0 && wantedPods(deployment) > 0 ? undefined : takenAt;
  const { minReadySeconds = 0 } = deployment.spec;
  const after = secondsSince(ready, available?.lastTransitionTime ?? '');
  return isAvailable && after !== undefined && Math.abs(after - minReadySeconds) <= together
    ? ready
    : undefined;
}
