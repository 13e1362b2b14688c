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

/** Takes webhooks while other reads are under way, and the API server's version where it is known. */
export type TakeWebhooks = (callouts: readonly Callout[], version: string | undefined) => unknown;

/**
 * Ten requests or a few more (pages), whatever the size of the cluster, all under way at once.
 *
 * @param take is given the webhooks of each list as soon as it is read.
 */
export async function collectBase(read: Attempts, take?: TakeWebhooks): Promise<BaseFacts> {
  const version = read
    .raw<{ readonly gitVersion?: string }>('/version')
    .then((answer) => (isRead(answer) ? answer.value?.gitVersion : undefined));
  const early = (webhooks: readonly Callout[]): void => {
    version.then(
      (known) => take?.(webhooks, known),
      () => undefined,
    );
  };
  const admission = collectAdmission(read, early);
  const conversion = collectConversion(read);
  if (take) conversion.then(early, () => undefined);
  const aggregated = collectAggregatedApis(read);
  const callouts = Promise.all([admission.then((found) => found.callouts), conversion, aggregated]).then(
    (lists) => lists.flat(),
  );
  const named = callouts.then(namespacesOf);
  const [known, services, endpointSlices, namespaces, served] = await Promise.all([
    version,
    collectServices(read, named),
    collectEndpointSlices(read, named),
    collectNamespaces(read, named),
    collectServed(read),
    callouts,
  ]);
  return {
    version: known,
    callouts: await callouts,
    withoutWebhooks: (await admission).withoutWebhooks,
    configurations: (await admission).configurations,
    services,
    endpointSlices,
    namespaces,
    served,
  };
}
