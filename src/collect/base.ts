import type { Callout } from '../facts/callout.ts';
import type { Lookup } from '../facts/lookup.ts';
import type { EndpointSlice } from '../facts/objects/endpoint-slice.ts';
import type { Namespace } from '../facts/objects/namespace.ts';
import type { Service } from '../facts/objects/service.ts';
import type { Right } from '../facts/right.ts';
import type { ServedResources } from '../facts/served-resources.ts';
import { type Attempts, isRead } from './attempts.ts';
import { aggregatedApiRights, collectAggregatedApis } from './collectors/api-services.ts';
import { collectConversion, conversionRights } from './collectors/conversion-webhooks.ts';
import { collectServed } from './collectors/discovery.ts';
import { collectNamespaces, namespaceRights } from './collectors/namespaces.ts';
import { collectEndpointSlices, collectServices, serviceRights } from './collectors/services.ts';
import { admissionRights, collectAdmission } from './collectors/webhook-configurations.ts';

/** What {@link collectBase} needs. Discovery and the version may be read by everybody who is logged in. */
export const baseRights: readonly Right[] = [
  ...admissionRights,
  ...conversionRights,
  ...aggregatedApiRights,
  ...serviceRights,
  ...namespaceRights,
];

/** What is always read: the callouts, and everything that decides whether their backends look whole. */
export interface BaseFacts {
  readonly version: string | undefined;
  readonly callouts: readonly Callout[];
  /** `validating/NAME`, `mutating/NAME`: configurations that hold no webhook. */
  readonly withoutWebhooks: readonly string[];
  readonly configurations: Lookup<readonly string[]>;
  readonly services: Lookup<Service>;
  readonly endpointSlices: Lookup<readonly EndpointSlice[]>;
  readonly namespaces: Lookup<Namespace>;
  readonly served: Lookup<ServedResources>;
}

const namespacesOf = (callouts: readonly Callout[]): readonly string[] => [
  ...new Set(callouts.flatMap(({ client }) => client.service?.namespace ?? [])),
];

/** Ten requests or a few more (pages), whatever the size of the cluster, all under way at once. */
export async function collectBase(read: Attempts): Promise<BaseFacts> {
  const admission = collectAdmission(read);
  const conversion = collectConversion(read);
  const aggregated = collectAggregatedApis(read);
  const callouts = Promise.all([admission.then((found) => found.callouts), conversion, aggregated]).then(
    (lists) => lists.flat(),
  );
  const named = callouts.then(namespacesOf);
  const [version, services, endpointSlices, namespaces, served] = await Promise.all([
    read.raw<{ readonly gitVersion?: string }>('/version'),
    collectServices(read, named),
    collectEndpointSlices(read, named),
    collectNamespaces(read, named),
    collectServed(read),
    callouts,
  ]);
  return {
    version: isRead(version) ? version.value?.gitVersion : undefined,
    callouts: await callouts,
    withoutWebhooks: (await admission).withoutWebhooks,
    configurations: (await admission).configurations,
    services,
    endpointSlices,
    namespaces,
    served,
  };
}
