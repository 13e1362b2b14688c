import { secondsSince } from '../../basics/time.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { endpointsChangedAt, isReadyEndpoint } from '../../facts/objects/endpoint-slice.ts';
import type { World } from '../../facts/snapshot.ts';

/**
 * True if the Service has ready endpoints, and they or the Service changed less than this number of seconds ago: what an
 * API server or a node did before may not apply to them.
 */
export function endpointsChangedWithin(
  callout: Callout,
  { services, endpointSlices, takenAt }: World<'services' | 'endpointSlices'>,
  seconds: number,
): boolean {
  if (!isServiceBacked(callout)) return false;
  const key = keyOf(callout.client.service);
  const slices = endpointSlices.getIfKnown(key) ?? [];
  const isServed = slices.some(({ endpoints }) => endpoints?.some(isReadyEndpoint));
  const times = [endpointsChangedAt(slices), services.getIfKnown(key)?.metadata.creationTimestamp];
  return isServed && times.some((time) => (secondsSince(time, takenAt) ?? seconds) < seconds);
}
