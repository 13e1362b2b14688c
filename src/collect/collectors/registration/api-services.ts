import type { AggregatedApiCallout } from '../../../facts/callout.ts';
import { type ApiServiceObject, aggregatedApiCallout } from '../../../facts/callout-of.ts';
import { type Permission, resources, toRead } from '../../../facts/resource.ts';
import { type Attempts, isRead } from '../../attempts.ts';

/** The permissions that {@link collectAggregatedApis} needs. */
export const aggregatedApiPermissions: readonly Permission[] = [
  toRead(resources.APIService, ['list'], 'cluster', 'APIServices, and whether they are available'),
];

/** Collects the APIServices that a Service serves; none if they could not be listed. */
export async function collectAggregatedApis(read: Attempts): Promise<readonly AggregatedApiCallout[]> {
  const services = await read.list<ApiServiceObject>(resources.APIService);
  return isRead(services) ? services.value.flatMap((service) => aggregatedApiCallout(service) ?? []) : [];
}
